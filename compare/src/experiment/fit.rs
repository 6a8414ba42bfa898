//! The slope of a straight line through points in double logarithmic coordinates.

/// Least-squares slope of log y over log x; `None` for fewer than two usable points.
pub fn slope(points: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .into_iter()
        .filter(|(x, y)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite())
        .map(|(x, y)| (x.ln(), y.ln()))
        .collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_y = logs.iter().map(|point| point.1).sum::<f64>() / count;
    let spread: f64 = logs.iter().map(|point| (point.0 - mean_x).powi(2)).sum();
    let common: f64 = logs
        .iter()
        .map(|point| (point.0 - mean_x) * (point.1 - mean_y))
        .sum();
    (logs.len() >= 2 && spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_found_exactly() {
        let points = [1e-1, 1e-2, 1e-3].map(|h: f64| (h, 3.0 * h.powi(2)));
        assert!(slope(points).is_some_and(|slope| (slope - 2.0).abs() < 1e-12));
    }

    #[test]
    fn least_squares_by_hand() {
        // log2 points (0, 0), (1, 1), (2, 1): slope 1/2.
        let points = [(1.0, 1.0), (2.0, 2.0), (4.0, 2.0)];
        assert!(slope(points).is_some_and(|slope| (slope - 0.5).abs() < 1e-12));
    }

    #[test]
    fn too_few_or_unusable_points_have_no_slope() {
        assert_eq!(slope([(1.0, 1.0)]), None);
        assert_eq!(slope([(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(slope([(1.0, f64::NAN), (2.0, 0.0), (3.0, 1.0)]), None);
        assert_eq!(slope([]), None);
    }
}
