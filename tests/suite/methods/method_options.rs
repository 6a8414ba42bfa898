//! Options of methods: taken, or refused by name.

use liedae::integrator::{
    BuildError, MethodOption, MethodOptions, NewmarkParameters, NewtonOptions, Projection,
};
use liedae::system::{Formulation, Parametrization};

/// Whatever option a method does not take is refused by name, whatever it takes is not.
#[test]
fn options_without_use_are_refused() {
    let none = MethodOptions::default();
    let each = [
        MethodOptions {
            projection: Some(Projection::default()),
            ..none
        },
        MethodOptions {
            newton: Some(NewtonOptions::default()),
            ..none
        },
        MethodOptions {
            formulation: Some(Formulation::Index2),
            ..none
        },
        MethodOptions {
            spectral_radius: Some(0.5),
            ..none
        },
        MethodOptions {
            hht_alpha: Some(-0.1),
            ..none
        },
        MethodOptions {
            parametrization: Some(Parametrization::default()),
            ..none
        },
        MethodOptions {
            newmark: Some(NewmarkParameters::default()),
            ..none
        },
    ];
    for entry in crate::methods() {
        let taken: Vec<MethodOption> = entry.options().collect();
        for options in &each {
            let option = options.given().next().expect("one is given");
            let built = crate::known_methods().build(entry.method.name, options);
            if taken.contains(&option) {
                assert!(built.is_ok(), "{}: {option}", entry.method.name);
                continue;
            }
            let error = built.err().expect("refused");
            assert!(matches!(error, BuildError::UnusedOption { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("takes no {option}")), "{text}");
        }
    }
    let damped = MethodOptions {
        formulation: Some(Formulation::Baumgarte {
            alpha: 3.0,
            beta: 4.0,
        }),
        ..none
    };
    assert!(crate::known_methods().build("radau5", &damped).is_ok());
    let error = crate::known_methods()
        .build("bdf-lie", &damped)
        .err()
        .expect("refused");
    assert!(matches!(error, BuildError::Formulation { .. }), "{error}");
    let error = crate::known_methods()
        .build("nope", &none)
        .err()
        .expect("unknown");
    assert_eq!(error, BuildError::UnknownMethod("nope".to_owned()));
}
