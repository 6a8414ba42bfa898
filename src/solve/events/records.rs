//! The events of a run, as many as are to be kept.

use crate::solve::{EventRecord, Observer};
use crate::system::EventReport;

/// Records of events. Those of the present step wait until it is over: then the observer sees them, and they are kept or counted.
pub(in crate::solve) struct EventRecords {
    kept: Vec<EventRecord>,
    left_out: usize,
    /// Records kept at most.
    limit: usize,
    of_step: Vec<EventRecord>,
    /// The last record that has been left out.
    last: Option<EventRecord>,
    last_singular: Option<f64>,
}

impl EventRecords {
    /// None so far.
    pub fn new(limit: usize) -> Self {
        Self {
            kept: Vec::new(),
            left_out: 0,
            limit,
            of_step: Vec::new(),
            last: None,
            last_singular: None,
        }
    }

    /// Adds an event of the present step.
    pub fn push(&mut self, event: EventRecord) {
        self.of_step.push(event);
    }

    /// Adds what a system reports of the moment `t`.
    pub fn report(&mut self, reports: Vec<EventReport>, t: f64) {
        let reports = reports.into_iter();
        (self.of_step).extend(reports.map(|report| EventRecord::new(report, t)));
    }

    /// Number of events in the present step so far.
    pub fn count_of_step(&self) -> usize {
        self.of_step.len()
    }

    /// Adds a singular configuration among the events of the present step from number `first` on, in order of time.
    pub fn insert_singular(&mut self, first: usize, event: EventRecord) {
        self.last_singular = Some(event.t);
        let later = (self.of_step.iter().skip(first)).position(|other| other.t > event.t);
        let place = later.map_or(self.of_step.len(), |later| first + later);
        self.of_step.insert(place, event);
    }

    /// The moment of the last singular configuration.
    pub fn last_singular(&self) -> Option<f64> {
        self.last_singular
    }

    /// The last event.
    pub fn last(&self) -> Option<&EventRecord> {
        let before = self.last.as_ref().or(self.kept.last());
        self.of_step.last().or(before)
    }

    /// The step is over.
    pub fn finish_step(&mut self, observer: &mut dyn Observer) {
        for event in self.of_step.drain(..) {
            observer.event(&event);
            if self.kept.len() < self.limit {
                self.kept.push(event);
            } else {
                self.left_out += 1;
                self.last = Some(event);
            }
        }
    }

    /// Number of events before the present step whose records have not been kept.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The records that have been kept, in order of time: where impacts accumulate is reported ahead of its moment.
    pub fn into_kept(mut self) -> Vec<EventRecord> {
        self.kept.sort_by(|one, other| one.t.total_cmp(&other.t));
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Silent;

    #[test]
    fn what_is_reported_ahead_of_its_moment_stands_there() {
        let mut records = EventRecords::new(10);
        for (kind, ahead) in [
            ("accumulation", Some(0.5)),
            ("impact", None),
            ("stick", None),
        ] {
            let mut report = EventReport::new(kind, "floor");
            report.t = ahead;
            records.report(vec![report], if ahead.is_some() { 0.1 } else { 0.2 });
            records.finish_step(&mut Silent);
        }
        let kinds: Vec<String> = records
            .into_kept()
            .into_iter()
            .map(|event| event.kind)
            .collect();
        assert_eq!(kinds, ["impact", "stick", "accumulation"]);
    }
}
