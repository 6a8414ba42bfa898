-- One experiment: its sessions, its references, its runs.

CREATE TABLE sessions (
    -- Never given twice, since files are called after it.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Locked while the session lives; the name is that of a file beside the store.
    lock TEXT,
    started TEXT NOT NULL,
    ended TEXT,
    -- How it was made: command, version, machine, load (JSON).
    provenance TEXT NOT NULL,
    -- What was asked for: problems, variants of methods, tolerances, limits (JSON).
    definition TEXT NOT NULL
) STRICT;

-- What somebody is working at.
CREATE TABLE claims (
    item TEXT PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (id)
) STRICT;

CREATE TABLE problems (
    key TEXT PRIMARY KEY,
    problem TEXT NOT NULL,
    -- Values of all parameters (JSON).
    parameters TEXT NOT NULL,
    t_end REAL NOT NULL,
    build TEXT NOT NULL,
    -- Where its reference comes from, in words.
    source TEXT NOT NULL,
    -- Digits to which the end is known.
    agreed_digits REAL,
    -- Accelerations, derivatives of differential states, algebraic rows.
    rates INTEGER NOT NULL,
    -- Whether the constraints alone determine the motion.
    determined INTEGER NOT NULL,
    -- Whether no event can raise the energy; NULL without contacts.
    loses_energy_at_events INTEGER,
    -- Some moments of the motion (SVG), of mechanisms.
    picture TEXT
) STRICT;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions (id),
    finished TEXT NOT NULL,
    version TEXT NOT NULL,
    build TEXT NOT NULL,
    parameters TEXT NOT NULL,
    t_end REAL NOT NULL,
    absolute_tolerance REAL,
    time_limit_s REAL NOT NULL,
    out_of_time INTEGER NOT NULL,
    -- Names and values of the outputs at the end (JSON; null where a value is not finite).
    outputs TEXT,
    problem TEXT NOT NULL,
    variant TEXT NOT NULL,
    tolerance REAL,
    step REAL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    t_reached REAL,
    events INTEGER NOT NULL,
    impacts INTEGER NOT NULL,
    energy_rise REAL,
    penetration REAL,
    error_end REAL,
    error_samples REAL,
    wall_s REAL NOT NULL,
    cpu_s REAL,
    wall_median_s REAL NOT NULL,
    cpu_median_s REAL,
    spread REAL NOT NULL,
    repetitions INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    accepted INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    force INTEGER NOT NULL,
    "constraint" INTEGER NOT NULL,
    jacobian INTEGER NOT NULL,
    mass INTEGER NOT NULL,
    factorizations INTEGER NOT NULL,
    solves INTEGER NOT NULL,
    newton_iterations INTEGER NOT NULL,
    violation_position REAL,
    violation_velocity REAL
) STRICT;

-- What every repetition of a run took.
CREATE TABLE timings (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    repetition INTEGER NOT NULL,
    wall_s REAL NOT NULL,
    cpu_s REAL,
    PRIMARY KEY (run, repetition)
) STRICT, WITHOUT ROWID;

-- Outputs of runs at the samples of the reference, if they were asked for.
CREATE TABLE samples (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    t REAL NOT NULL,
    output TEXT NOT NULL,
    value REAL,
    PRIMARY KEY (run, output, t)
) STRICT, WITHOUT ROWID;

-- References that were computed: two runs by different methods.
CREATE TABLE computed_references (
    key TEXT PRIMARY KEY,
    problem TEXT NOT NULL,
    first_method TEXT,
    first_tolerance REAL,
    second_method TEXT,
    second_tolerance REAL,
    -- Why there is no reference, or no second run.
    failure TEXT,
    agreed_digits REAL,
    used TEXT NOT NULL,
    columns INTEGER NOT NULL,
    -- Times and rows as IEEE doubles, the least significant byte first.
    times BLOB NOT NULL,
    first_rows BLOB NOT NULL,
    second_rows BLOB
) STRICT;
