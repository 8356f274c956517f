//! How an operation is served whose row in the overlay says nothing else. The generated code calls these macros: what is
//! not here, an operation has by hand, in [`serve_op`](crate::serve::serve_op).

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
