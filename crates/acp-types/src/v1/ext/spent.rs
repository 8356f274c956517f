//! Sums of tokens and costs.

use std::collections::BTreeMap;

use crate::v1::Cost;
#[cfg(feature = "unstable")]
use crate::v1::Usage;

/// Tokens and costs of a turn, of a session, or of one call of a model. They add up.
///
/// ```
/// use acp_types::v1::ext::Spent;
///
/// let mut turn = Spent::tokens(1_200, 80).cost(0.004, "USD");
/// turn.add(&Spent::tokens(1_300, 20).cost(0.004, "USD"));
/// assert_eq!((turn.total_tokens, turn.cost_in("USD")), (2_600, 0.008));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// Tokens of all kinds together.
    pub total_tokens: u64,
    /// Tokens the model has read.
    pub input_tokens: u64,
    /// Tokens the model has written.
    pub output_tokens: u64,
    /// Tokens spent on reasoning.
    pub thought_tokens: u64,
    /// Tokens taken from the prompt cache.
    pub cached_read_tokens: u64,
    /// Tokens put into the prompt cache.
    pub cached_write_tokens: u64,
    /// Costs by currency, which is an ISO 4217 code or the name of some other unit.
    pub costs: BTreeMap<String, f64>,
}

impl Spent {
    /// Creates the sum of tokens that a model has read and written. They are the total, too.
    #[must_use]
    pub fn tokens(input: u64, output: u64) -> Self {
        Spent {
            total_tokens: input.saturating_add(output),
            input_tokens: input,
            output_tokens: output,
            ..Self::default()
        }
    }

    /// Adds a cost. An amount that is negative or not a number is left out.
    #[must_use]
    pub fn cost(mut self, amount: f64, currency: impl Into<String>) -> Self {
        self.add_cost(amount, &currency.into());
        self
    }

    /// Returns the cost in this currency; 0 if there is none.
    #[must_use]
    pub fn cost_in(&self, currency: &str) -> f64 {
        self.costs.get(currency).copied().unwrap_or_default()
    }

    /// Adds tokens and costs. Sums stop at the largest number.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.counts_mut().into_iter().zip(other.counts()) {
            *sum = sum.saturating_add(more);
        }
        for (currency, amount) in &other.costs {
            self.add_cost(*amount, currency);
        }
    }

    fn add_cost(&mut self, amount: f64, currency: &str) {
        if is_cost(amount) {
            let sum = self.costs.entry(currency.to_owned()).or_default();
            *sum = (*sum + amount).min(f64::MAX);
        }
    }

    /// Returns the difference to an earlier sum. A count or a cost that has become smaller counts
    /// as 0.
    ///
    /// ```
    /// use acp_types::v1::ext::Spent;
    ///
    /// let earlier = Spent::tokens(100, 10).cost(5.0, "USD").cost(1.0, "EUR");
    /// let difference = Spent::tokens(150, 5).cost(0.1, "USD").cost(1.5, "EUR").since(&earlier);
    /// assert_eq!(difference.total_tokens, 45);
    /// assert_eq!((difference.cost_in("USD"), difference.cost_in("EUR")), (0.0, 0.5));
    /// ```
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        for (sum, before) in difference.counts_mut().into_iter().zip(earlier.counts()) {
            *sum = sum.saturating_sub(before);
        }
        for (currency, amount) in &mut difference.costs {
            *amount -= earlier.cost_in(currency);
        }
        difference.costs.retain(|_, amount| *amount > 0.0);
        difference
    }

    /// Returns true if nothing was spent.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.counts().iter().all(|count| *count == 0) && self.costs.values().all(|amount| *amount == 0.0)
    }

    /// Sets the cost in one currency, such as that of a `usage_update`, which is a sum already. An
    /// amount that is negative or not a number changes nothing.
    pub fn set_cost(&mut self, cost: &Cost) {
        if is_cost(cost.amount) {
            self.costs.insert(cost.currency.clone(), cost.amount);
        }
    }

    fn counts(&self) -> [u64; 6] {
        [
            self.total_tokens,
            self.input_tokens,
            self.output_tokens,
            self.thought_tokens,
            self.cached_read_tokens,
            self.cached_write_tokens,
        ]
    }

    fn counts_mut(&mut self) -> [&mut u64; 6] {
        [
            &mut self.total_tokens,
            &mut self.input_tokens,
            &mut self.output_tokens,
            &mut self.thought_tokens,
            &mut self.cached_read_tokens,
            &mut self.cached_write_tokens,
        ]
    }
}

/// Returns true for an amount that can be a cost.
fn is_cost(amount: f64) -> bool {
    amount.is_finite() && amount >= 0.0
}

/// Takes the tokens. The costs are in another message.
#[cfg(feature = "unstable")]
impl From<&Usage> for Spent {
    fn from(usage: &Usage) -> Self {
        Spent {
            total_tokens: usage.total_tokens,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            thought_tokens: usage.thought_tokens.unwrap_or_default(),
            cached_read_tokens: usage.cached_read_tokens.unwrap_or_default(),
            cached_write_tokens: usage.cached_write_tokens.unwrap_or_default(),
            costs: BTreeMap::new(),
        }
    }
}

/// Takes the tokens. A kind of which there are none counts as not reported.
#[cfg(feature = "unstable")]
impl From<&Spent> for Usage {
    fn from(spent: &Spent) -> Self {
        let reported = |count: u64| (count > 0).then_some(count);
        let mut usage = Usage::new(spent.total_tokens, spent.input_tokens, spent.output_tokens);
        usage.thought_tokens = reported(spent.thought_tokens);
        usage.cached_read_tokens = reported(spent.cached_read_tokens);
        usage.cached_write_tokens = reported(spent.cached_write_tokens);
        usage
    }
}
