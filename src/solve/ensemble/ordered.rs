//! Work that is done in parallel and seen in order.

use super::{Cancel, MemberError};
use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// How the members of an ensemble are shared out among threads.
pub(super) struct Ordered<'a> {
    pub threads: NonZeroUsize,
    /// Results that may wait for an earlier one, for each thread.
    pub waiting: usize,
    pub cancel: &'a Cancel,
}

type Outcome<T> = Result<T, MemberError>;

impl Ordered<'_> {
    /// Calls `run` for every item on one of the threads, and `see` for every result in the order of the items on this one. `run` sees
    /// what ends it early.
    pub fn run<I: Iterator + Send, T: Send>(
        &self,
        items: I,
        run: impl Fn(I::Item, &Cancel) -> Outcome<T> + Sync,
        mut see: impl FnMut(usize, Outcome<T>) -> ControlFlow<()>,
    ) {
        let halt = self.cancel.inner();
        // A thread without an item would be of no use.
        let most = items.size_hint().1.unwrap_or(usize::MAX).max(1);
        let threads = self.threads.get().min(most);
        let queue = Queue::new(items, self.waiting.saturating_mul(threads));
        let work = || -> Option<(usize, Outcome<T>)> {
            let (index, item) = queue.draw(&halt)?;
            let outcome = match item {
                Ok(item) => caught(|| run(item, &halt)).unwrap_or_else(Err),
                Err(panic) => Err(panic),
            };
            Some((index, outcome))
        };
        // A thread that does nothing but wait for one other would be of no use.
        if threads == 1 {
            return see_in_order(&queue, std::iter::from_fn(work), &mut see);
        }
        thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            let mut begun = 0;
            for number in 0..threads {
                // Where nobody knows how many items there are, these may have been drawn by now.
                if begun > 0 && queue.is_over() {
                    break;
                }
                let (sender, work) = (sender.clone(), &work);
                let send = move || {
                    while let Some(result) = work() {
                        if sender.send(result).is_err() {
                            return;
                        }
                    }
                };
                let name = format!("ensemble {number}");
                // Fewer threads than asked for do the same.
                if thread::Builder::new()
                    .name(name)
                    .spawn_scoped(scope, send)
                    .is_err()
                {
                    break;
                }
                begun += 1;
            }
            drop(sender);
            // Also if `see` panics: nobody must wait for this thread then.
            let _over = Over(&queue, &halt);
            if begun == 0 {
                see_in_order(&queue, std::iter::from_fn(&work), &mut see);
            } else {
                see_in_order(&queue, results.into_iter(), &mut see);
            }
        });
    }
}

/// Hands results on in the order of their numbers.
fn see_in_order<I: Iterator, T>(
    queue: &Queue<I>,
    results: impl Iterator<Item = (usize, Outcome<T>)>,
    see: &mut impl FnMut(usize, Outcome<T>) -> ControlFlow<()>,
) {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (index, outcome) in results {
        waiting.insert(index, outcome);
        while let Some(outcome) = waiting.remove(&next) {
            if see(next, outcome).is_break() {
                return;
            }
            next += 1;
            queue.see(next);
        }
    }
}

/// Items that have not been drawn.
struct Queue<I> {
    state: Mutex<State<I>>,
    /// Results have been seen, or everything is over.
    changed: Condvar,
    /// As many items may be drawn beyond those whose results have been seen.
    ahead: usize,
}

struct State<I> {
    items: I,
    drawn: usize,
    seen: usize,
    over: bool,
}

impl<I: Iterator> Queue<I> {
    fn new(items: I, ahead: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items,
                drawn: 0,
                seen: 0,
                over: false,
            }),
            changed: Condvar::new(),
            ahead,
        }
    }

    /// Panics are caught where foreign code runs: nobody leaves a state that is half changed.
    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item with its number, once there is room for its result. An iterator that panics has its last item there.
    fn draw(&self, halt: &Cancel) -> Option<(usize, Outcome<I::Item>)> {
        let full = |state: &mut State<I>| !state.over && state.drawn - state.seen >= self.ahead;
        let waited = self.changed.wait_while(self.lock(), full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.over || halt.is_cancelled() {
            return None;
        }
        let item = match caught(|| state.items.next()) {
            Ok(Some(item)) => Ok(item),
            Ok(None) => {
                state.over = true;
                return None;
            }
            Err(panic) => {
                state.over = true;
                Err(panic)
            }
        };
        let index = state.drawn;
        state.drawn += 1;
        Some((index, item))
    }

    /// So many results have been seen.
    fn see(&self, seen: usize) {
        self.lock().seen = seen;
        self.changed.notify_all();
    }

    fn is_over(&self) -> bool {
        self.lock().over
    }

    fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }
}

/// Ends the work when it goes.
struct Over<'a, I: Iterator>(&'a Queue<I>, &'a Cancel);

impl<I: Iterator> Drop for Over<'_, I> {
    fn drop(&mut self) {
        self.1.cancel();
        self.0.end();
    }
}

/// A panic becomes an error, in its own words.
fn caught<T>(function: impl FnOnce() -> T) -> Result<T, MemberError> {
    catch_unwind(AssertUnwindSafe(function)).map_err(|panic| MemberError::Panicked(words(&*panic)))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let words = panic
        .downcast_ref::<&str>()
        .map(|words| (*words).to_owned());
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    words.unwrap_or_else(|| "without words".to_owned())
}
