//! Random mechanism files to which nothing adds energy: joints that rub, springs and dampers, contacts, loops with redundant
//! rows. The energy must not rise, and what one method solves the other must solve.

use crate::case::Verdict;
use crate::command::{quoted, run};
use crate::random::Random;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const KIND: &str = "passive mechanism file";

const METHODS: [&str; 8] = [
    "hem5",
    "mdop5",
    "radau5",
    "bdf",
    "dop853",
    "phem56",
    "generalized-alpha",
    "moreau-jean",
];

/// A run that takes longer is given up.
const LIMIT: Duration = Duration::from_secs(20);

/// Of the spheres that touch the floor, in m.
const RADIUS: f64 = 0.05;

/// What the mechanism has, for the counts.
#[derive(Default)]
struct Parts {
    text: String,
    /// The law of impact may gain energy: restitution and friction at once.
    may_gain: bool,
}

/// One file and two methods.
pub fn check(liedae: &PathBuf, random: &mut Random, folder: &Path) -> Verdict {
    let parts = mechanism(random);
    let path = folder.join("passive.toml");
    if let Err(error) = fs::write(&path, &parts.text) {
        return Verdict::fine(KIND, "not written").because(error.to_string());
    }
    let first = random.below(METHODS.len());
    let second = (first + 1 + random.below(METHODS.len() - 1)) % METHODS.len();
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for method in [METHODS[first], METHODS[second]] {
        let mut line: Vec<String> = vec!["run".to_owned(), path.display().to_string()];
        line.extend(["--method", method, "--json", "--max-steps", "400000"].map(str::to_owned));
        let shown = quoted(&line);
        let ended = match run(liedae, &line, LIMIT) {
            Ok(ended) => ended,
            Err(error) => return Verdict::finding(KIND, format!("{shown}: {error}")),
        };
        if ended.stderr.contains("panicked") {
            return Verdict::finding(KIND, format!("{shown}: {}\n{}", ended.stderr, parts.text));
        }
        let Some(status) = ended.status else {
            failed.push((method, format!("longer than {} s", LIMIT.as_secs())));
            continue;
        };
        if status.code() == Some(2) {
            return Verdict::fine(KIND, "refused").because(ended.stdout);
        }
        let Ok(report) = serde_json::from_str::<Value>(&ended.stdout) else {
            return Verdict::finding(KIND, format!("{shown}: no JSON: {}", ended.stdout));
        };
        if let Some(rise) = unexplained(&report) {
            if !parts.may_gain {
                return Verdict::finding(KIND, format!("{method}: {rise}\n{}", parts.text));
            }
            return Verdict::fine(KIND, "a law of impact that gains energy, said");
        }
        if status.code() == Some(0) {
            done.push(method);
        } else {
            failed.push((method, report["reason"].to_string()));
        }
    }
    match (&done[..], &failed[..]) {
        ([solved], [(method, reason)]) => Verdict::finding(
            KIND,
            format!(
                "{method} fails and {solved} does not: {reason}\n{}",
                parts.text
            ),
        ),
        _ => Verdict::fine(KIND, format!("{} of 2 methods done", done.len()))
            .because(format!("{failed:?}\n{}", parts.text)),
    }
}

/// A rise of the energy that errors do not explain; a passive mechanism that is not judged is one, too.
fn unexplained(report: &Value) -> Option<String> {
    let energy = report.get("energy")?;
    if energy.is_null() {
        return None;
    }
    let rise = &energy["rise"];
    let number = |key: &str| rise[key].as_f64().unwrap_or(f64::NAN);
    let (risen, explained) = (number("rise"), number("explained"));
    if risen <= explained {
        return None;
    }
    Some(format!("the energy rises: {rise}"))
}

fn list(parts: &[f64]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| format!("{part:?}")).collect();
    format!("[{}]", parts.join(", "))
}

fn unit(random: &mut Random) -> [f64; 3] {
    loop {
        let axis = random.vector(1.0);
        let length = axis.iter().map(|part| part * part).sum::<f64>().sqrt();
        if length > 0.2 {
            return axis.map(|part| part / length);
        }
    }
}

/// Bodies one behind the other or side by side, and what acts on them.
fn mechanism(random: &mut Random) -> Parts {
    let mut parts = Parts::default();
    let gravity = [random.between(-2.0, 2.0), random.between(-2.0, 2.0), -9.81];
    let mut text = format!(
        "gravity = {}\nt_end = {:?}\nstep = 0.001\n",
        list(&gravity),
        random.between(0.3, 1.0)
    );
    let at_rest = random.chance(0.4);
    let (joints, lowest) = if random.chance(0.25) {
        (four_bar(random, &mut text), 0.25)
    } else {
        tree(random, at_rest, &mut text)
    };
    for (index, (joint, kind)) in joints.iter().enumerate() {
        let coefficient = random.between(0.0, 0.6);
        match *kind {
            "translational" | "cylindrical" if random.chance(0.6) => {
                let _ = write!(
                    text,
                    "\n[[frictions]]\nname = \"rub{index}\"\njoint = \"{joint}\"\ncoefficient = {coefficient:?}\n"
                );
            }
            "revolute" if random.chance(0.4) => {
                let radius = random.between(0.005, 0.03);
                let _ = write!(
                    text,
                    "\n[[bearings]]\nname = \"rub{index}\"\njoint = \"{joint}\"\ncoefficient = {coefficient:?}\nradius = {radius:?}\n"
                );
                if random.chance(0.5) {
                    let span = random.between(0.05, 0.2);
                    let _ = write!(text, "span = {span:?}\ncollar = {:?}\n", 1.5 * radius);
                }
            }
            _ => {}
        }
        if *kind == "revolute" && random.chance(0.4) {
            let _ = write!(
                text,
                "\n[[rotational_springs]]\nname = \"coil{index}\"\njoint = \"{joint}\"\nstiffness = {:?}\ndamping = {:?}\nfree_angle = {:?}\n",
                random.factor(10.0),
                random.one_of(&[0.0, 0.01, 0.1]),
                random.between(-1.0, 1.0)
            );
        }
    }
    let bodies = joints.len().min(4);
    for index in 0..random.below(3) {
        let mut anchor = random.vector(1.0);
        anchor[2] += 2.0;
        let body = random.below(bodies);
        let _ = write!(
            text,
            "\n[[springs]]\nname = \"spring{index}\"\nbodies = [\"ground\", \"body{body}\"]\nframes = [{{ point = {} }}, {{ point = [0.0, 0.0, 0.0] }}]\nstiffness = {:?}\nfree_length = {:?}\ndamping = {:?}\n",
            list(&anchor),
            20.0 * random.factor(10.0),
            random.between(0.5, 3.0),
            random.one_of(&[0.0, 0.5, 5.0])
        );
    }
    if random.chance(0.5) {
        let restitution = random.one_of(&[0.0, 0.3, 0.7]);
        let friction = random.one_of(&[0.0, 0.2, 0.6]);
        parts.may_gain = restitution > 0.0 && friction > 0.0;
        // Poisson's law knows no friction.
        let law = if friction > 0.0 {
            random.one_of(&["moreau", "sequential"])
        } else {
            random.one_of(&["moreau", "poisson", "sequential"])
        };
        // Keys of the file itself stand before its tables.
        text.insert_str(0, &format!("impact_law = \"{law}\"\n"));
        // At times the lowest body lies on the floor from the start.
        let gap = if random.chance(0.3) {
            0.0
        } else {
            random.between(0.1, 1.0)
        };
        let depth = RADIUS + gap - lowest;
        for body in 0..bodies {
            let _ = write!(
                text,
                "\n[[contacts]]\nname = \"floor{body}\"\nrestitution = {restitution:?}\nfriction = {friction:?}\nsurfaces = [{{ body = \"ground\", frame = {{ in = \"world\", point = [0.0, 0.0, {:?}], z = [0.0, 0.0, 1.0] }}, shape = \"half-space\" }}, {{ body = \"body{body}\", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {{ sphere = {RADIUS:?} }} }}]\n",
                -depth
            );
        }
    }
    parts.text = text;
    parts
}

fn body(random: &mut Random, index: usize, position: [f64; 3], text: &mut String) {
    let mass = random.factor(3.0);
    let moment = mass * random.between(0.005, 0.05);
    let inertia = [
        moment,
        moment * random.between(0.7, 1.3),
        moment * random.between(0.7, 1.3),
    ];
    let _ = write!(
        text,
        "\n[[bodies]]\nname = \"body{index}\"\nmass = {mass:?}\ninertia = {}\nposition = {}\n",
        list(&inertia),
        list(&position)
    );
}

type Joints = Vec<(String, &'static str)>;

/// Bodies that hang from the ground or from each other by random joints, closed to a loop at times; with the height of the
/// lowest one.
fn tree(random: &mut Random, at_rest: bool, text: &mut String) -> (Joints, f64) {
    let count = 1 + random.below(4);
    let mut places: Vec<[f64; 3]> = Vec::new();
    let mut stated = Vec::new();
    for index in 0..count {
        let place = random.vector(0.6);
        body(random, index, place, text);
        places.push(place);
    }
    let mut joints = String::new();
    for (index, place) in places.iter().enumerate() {
        let before = if index > 0 && random.chance(0.6) {
            Some(random.below(index))
        } else {
            None
        };
        let kind = random.one_of(&[
            "revolute",
            "revolute",
            "translational",
            "translational",
            "cylindrical",
            "spherical",
        ]);
        let base = before.map_or([0.0; 3], |body| places[body]);
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (base[k] + place[k]));
        let parent = before.map_or("ground".to_owned(), |body| format!("body{body}"));
        let name = format!("joint{index}");
        let _ = write!(
            joints,
            "\n[[joints]]\nname = \"{name}\"\nkind = \"{kind}\"\nbodies = [\"{parent}\", \"body{index}\"]\npoint = {}\n",
            list(&middle)
        );
        if kind != "spherical" {
            let axis = if random.chance(0.2) {
                [0.0, 0.0, 1.0]
            } else if random.chance(0.2) {
                [1.0, 0.0, 0.0]
            } else {
                unit(random)
            };
            let _ = writeln!(joints, "axis = {}", list(&axis));
        }
        stated.push((name, kind));
    }
    let closed = count >= 3 && random.chance(0.4);
    if closed {
        let kind = random.one_of(&["spherical", "revolute"]);
        let _ = write!(
            joints,
            "\n[[joints]]\nname = \"loop\"\nkind = \"{kind}\"\nbodies = [\"ground\", \"body{}\"]\npoint = {}\n",
            count - 1,
            list(&random.vector(0.5))
        );
        if kind == "revolute" {
            let _ = writeln!(joints, "axis = {}", list(&unit(random)));
        }
    }
    if !at_rest && !closed {
        for (name, kind) in &stated {
            let key = match *kind {
                "revolute" => "angle_rate",
                "translational" => "translation_rate",
                _ => continue,
            };
            let rate = random.between(-3.0, 3.0);
            let _ = write!(
                joints,
                "\n[[initial]]\njoint = \"{name}\"\n{key} = {rate:?}\n"
            );
        }
    }
    text.push_str(&joints);
    let heights = places.iter().map(|place| place[2]);
    (stated, heights.fold(f64::INFINITY, f64::min))
}

/// Four parallel revolutes in space: three of its rows are redundant.
fn four_bar(random: &mut Random, text: &mut String) -> Joints {
    let points = [
        [0.0, 0.0, 0.0],
        [random.between(0.1, 0.4), 0.0, random.between(0.5, 0.9)],
        [random.between(1.2, 2.0), 0.0, random.between(0.7, 1.1)],
        [random.between(1.2, 1.8), 0.0, 0.0],
    ];
    for index in 0..3 {
        let middle = std::array::from_fn(|k| 0.5 * (points[index][k] + points[index + 1][k]));
        body(random, index, middle, text);
    }
    let ends = ["ground", "body0", "body1", "body2", "ground"];
    let mut joints = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let _ = write!(
            text,
            "\n[[joints]]\nname = \"pin{index}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\npoint = {}\naxis = [0.0, 1.0, 0.0]\n",
            ends[index],
            ends[index + 1],
            list(point)
        );
        joints.push((format!("pin{index}"), "revolute"));
    }
    joints.truncate(3);
    joints
}
