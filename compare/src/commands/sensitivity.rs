//! The findings of `liedae run --check` as text.

use crate::experiment::{
    BOUND, BOUND_WITH_FIXED_STEPS, Control, EndCheck, control_in_words as in_words,
};
use crate::output::number;

/// One sentence per line.
pub fn sentences(check: &EndCheck, control: Control) -> Vec<String> {
    let mut text = Vec::new();
    if let Some(run) = &check.perturbed {
        text.push(format!(
            "an initial change of {:.0e} became {:.0e} at the end: amplified {} times ({})",
            run.initial_change,
            run.end_change,
            short(run.amplification),
            run.output
        ));
    }
    if let Some(run) = &check.refined {
        let trusted = match run.digits {
            0 => "no digit of the end can be trusted".to_owned(),
            1 => "one digit of the end can be trusted".to_owned(),
            digits => format!("{digits} digits of the end can be trusted"),
        };
        text.push(format!(
            "the end moves by {:.0e} with {}: {trusted} ({})",
            run.end_change,
            in_words(run.control),
            run.output
        ));
    }
    text.extend(
        check
            .missing
            .iter()
            .map(|words| format!("not known: {words}")),
    );
    if !check.good {
        text.push(match control {
            Control::Adaptive { .. } => format!(
                "WARNING: the end is not good to the tolerance; it may move by {} tolerances, and changes may grow by as much",
                number(BOUND)
            ),
            Control::Fixed { .. } => format!(
                "WARNING: the end is not good; half the step may move it by {BOUND_WITH_FIXED_STEPS:e}, and changes may grow \
                 by {}",
                number(BOUND)
            ),
        });
    }
    text
}

/// A factor with two digits.
fn short(factor: f64) -> String {
    if (0.01..1000.0).contains(&factor) {
        format!("{factor:.2}")
    } else {
        format!("{factor:.0e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Perturbed, Refined};
    use crate::output::Named;

    #[test]
    fn an_end_that_is_not_good_is_warned_of() {
        let control = Control::Adaptive {
            rtol: 1e-9,
            atol: 1e-9,
        };
        let check = EndCheck {
            perturbed: Some(Perturbed {
                initial_change: 1e-10,
                end_change: 3e-3,
                amplification: 3e7,
                output: "y".to_owned(),
            }),
            refined: Some(Refined {
                control,
                end_change: 0.11,
                output: "vy".to_owned(),
                digits: 0,
                changes: Named::default(),
                sizes: Named::default(),
            }),
            good: false,
            missing: vec!["nothing".to_owned()],
        };
        let text = sentences(&check, control);
        assert_eq!(
            text[0],
            "an initial change of 1e-10 became 3e-3 at the end: amplified 3e7 times (y)"
        );
        assert_eq!(
            text[1],
            "the end moves by 1e-1 with rtol 1e-9, atol 1e-9: no digit of the end can be trusted (vy)"
        );
        assert_eq!(text[2], "not known: nothing");
        assert!(text[3].starts_with("WARNING: the end is not good to the tolerance"));
        let good = EndCheck {
            good: true,
            ..check
        };
        assert_eq!(sentences(&good, control).len(), 3);
    }
}
