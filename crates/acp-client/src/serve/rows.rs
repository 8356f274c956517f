//! The default service of an operation. The generated code calls these macros for each row of the
//! overlay that does not say `by_hand`. The others are in [`serve_op`](crate::serve::serve_op).

/// Serves an operation by its handler alone.
macro_rules! served {
    (request $marker:ident) => {
        impl $crate::Served for $crate::op::$marker {
            type Answer = <Self as $crate::Op>::Response;

            fn register(handlers: &mut $crate::Handlers, _: &str, handler: $crate::ServeOp<Self>) {
                $crate::serve::serve_op::request(handlers, handler);
            }
        }
    };
    (notification $marker:ident) => {
        impl $crate::Served for $crate::op::$marker {
            type Answer = ();

            fn register(handlers: &mut $crate::Handlers, _: &str, handler: $crate::ServeOp<Self>) {
                $crate::serve::serve_op::notification(handlers, handler);
            }
        }
    };
}

pub(crate) use served;
