//! Which column of a table of runs is what.

use crate::kit::fields::{self, RunField, field_of_column};
use crate::kit::short;
use crate::reader::Options;
use crate::table::column_names::is_of_value;
use crate::table::column_rules::{all_or_none_in_percent, every_metric_once, field_of, is_apart};
use crate::table::figure_columns::FigureColumns;
use crate::table::named::Named;
use crate::table::outcomes::OutcomeColumn;
use crate::table::records::{Table, given, groups_by, position};
use crate::table::role::Role;
use crate::table::roles::Roles;
use crate::table::spreads::Spreads;
use crate::table::unmeasured::not_measured;
use std::sync::Arc;

use beyondnoise_model::error::Error;

/// Which column is what.
pub(crate) struct Columns {
    pub(crate) path: Arc<str>,
    pub(crate) variant: Option<usize>,
    /// From the outer level of repeats to the inner.
    pub(crate) run: Vec<usize>,
    pub(crate) pair: Option<usize>,
    /// Puts the variants in order; may be one of the others as well.
    pub(crate) order: Option<usize>,
    /// Position of metric and value in the long layout.
    pub(crate) long: Option<(usize, usize)>,
    /// Position and name of each metric in the wide layout.
    pub(crate) wide: Vec<(usize, Named)>,
    /// Columns that describe the run.
    pub(crate) rest: Vec<(usize, Option<RunField>)>,
    /// Columns that say how the run ended.
    pub(crate) outcomes: Vec<OutcomeColumn>,
    /// Columns in which runs of one variant and name may differ.
    pub(crate) identity: Vec<usize>,
    pub(crate) spreads: Spreads,
    pub(crate) figures: FigureColumns,
    /// Several rows share a run and its settings: they are averaged.
    pub(crate) shared: bool,
    /// Resolution of the values, in the long layout.
    pub(crate) resolution: Option<usize>,
    /// The unit of the value; in the wide layout that of the only metric.
    pub(crate) unit: Option<usize>,
    /// Where the row comes from, as `convert` writes it.
    pub(crate) origin: Option<usize>,
    /// Metrics that the user names, or the values show; they may be called like a setting.
    pub(crate) asked_for: Vec<String>,
    /// Whether a column has the number of requests: where it is empty, time ended the run.
    pub(crate) requests: bool,
}

impl Columns {
    pub(crate) fn from_roles(
        table: &Table,
        roles: &Roles,
        options: &Options,
    ) -> Result<Self, Error> {
        let headers = &table.headers;
        let Roles { variant, run, pair, long, .. } = roles.clone();
        let wide = if long.is_some() { Vec::new() } else { wide_metrics(table, roles, options)? };
        let rest: Vec<(usize, Option<RunField>)> = (0..headers.len())
            .filter(|index| !wide.iter().any(|(metric, _)| metric == index))
            .filter_map(|index| match roles.role(index) {
                Role::RunField(field) => Some((index, Some(field))),
                Role::Factor => Some((index, None)),
                // One of several that name it.
                Role::Variant if Some(index) != variant => Some((index, None)),
                _ => None,
            })
            .collect();
        // With names for the runs, a time may belong to the value.
        let of_run = |(_, field): &&(usize, Option<RunField>)| {
            *field != Some(RunField::Started) || run.is_empty()
        };
        let identity = rest.iter().filter(of_run).map(|(index, _)| *index);
        let identity: Vec<usize> = identity.chain(variant).chain(pair).collect();
        let order = options.order_by.as_deref().and_then(|name| position(headers, name));
        let header = |wanted: &str| headers.iter().position(|header| header == wanted);
        let (resolution, origin) = (header("resolution"), header("source"));
        let of_one: Vec<usize> =
            identity.iter().chain(&run).chain(long.iter().map(|(m, _)| m)).copied().collect();
        // In the long layout a second value is a mistake, unless a column counts repeats inside the run.
        let inner = long.is_none() || !roles.which(|role| role == Role::Identity).is_empty();
        let shared = inner
            && resolution.is_none()
            && run.len() == 1
            && groups_by(table, &of_one).1 < table.rows.len();
        let requests = headers.iter().any(|name| field_of_column(name) == Some(RunField::Requests));
        let unit = roles
            .which(|role| role == Role::OfValue)
            .into_iter()
            .find(|&at| is_of_value(&headers[at].to_lowercase()) && is_unit_header(&headers[at]))
            // Elsewhere a column of this name may be about anything, such as the device under test.
            .filter(|_| long.is_some() || wide.len() == 1);
        if table.rows.contains('%') {
            let metrics = wide.iter().map(|(index, _)| (None, *index));
            let metrics = metrics.chain(long.map(|(name, value)| (Some(name), value)));
            all_or_none_in_percent(table, metrics)?;
        }
        Ok(Self {
            path: table.path.into(),
            variant,
            run,
            pair,
            order,
            long,
            wide,
            rest,
            identity,
            spreads: roles.spreads.clone(),
            figures: roles.figures.clone(),
            outcomes: roles.outcomes.clone(),
            shared,
            resolution,
            unit,
            origin,
            asked_for: [options.metrics.clone(), roles.measured_loads(table)].concat(),
            requests,
        })
    }

    /// About as many runs as the rows of a table are: in the long layout rows of the metric of the first.
    pub(crate) fn runs_in(&self, table: &Table) -> usize {
        let Some((metric, _)) = self.long else { return table.rows.len() };
        let mut names = table.rows.iter().map(|row| row.cells.get(metric));
        names.next().map_or(0, |first| 1 + names.filter(|name| *name == first).count())
    }
}

fn is_unit_header(header: &str) -> bool {
    crate::table::column_names::UNIT.contains(&header.to_lowercase().as_str())
}

/// Position and name of each metric in the wide layout: the user's columns, or else all measured ones.
pub(crate) fn wide_metrics(
    table: &Table,
    roles: &Roles,
    options: &Options,
) -> Result<Vec<(usize, Named)>, Error> {
    let headers = &table.headers;
    let mut wide: Vec<(usize, String)> = Vec::new();
    for name in &options.metrics {
        // It may be there in another unit.
        let metric = fields::metric_of_column(name).name;
        let same = |header: &String| fields::metric_of_column(header).name == metric;
        let at = position(headers, name).or_else(|| headers.iter().position(same));
        let at = at.map_or_else(|| given(table, name), Ok)?;
        wide.push((at, headers[at].clone()));
    }
    for (index, name) in headers.iter().enumerate() {
        let wanted = if options.metrics.is_empty() {
            roles.role(index) == Role::Measured
        } else {
            options.guards.contains(&fields::metric_of_column(name).name)
                && !wide.iter().any(|(known, _)| *known == index)
        };
        if wanted {
            wide.push((index, name.clone()));
        }
    }
    if options.metrics.is_empty() {
        every_metric_once(table, &wide)?;
    }
    if wide.is_empty() {
        return Err(no_metric(table));
    }
    let named = |(index, name): &(usize, String)| {
        let mut metric =
            if is_apart(&wide, name) { Named::literal(name) } else { Named::parse(name) };
        let measured = roles.role(*index) == Role::Measured;
        metric.field = metric.field.filter(|_| field_of(table, *index).is_some() && !measured);
        (*index, metric)
    };
    Ok(wide.iter().map(named).collect())
}

/// That no column is a metric; a rate that is read as a setting may be what was measured.
fn no_metric(table: &Table) -> Error {
    if let Some((problem, remedy)) = not_measured(table) {
        return table.no_result(problem, remedy);
    }
    let problem = format!(
        "expected columns \"metric\" and \"value\", or a column of numbers per metric, found {}",
        table.listed()
    );
    let limit = |index: &usize| {
        let field = field_of(table, *index);
        matches!(field, Some(RunField::RequestRate | RunField::Requests))
            && table.is_numeric(*index)
    };
    let Some(limit) = (0..table.headers.len()).find(limit) else {
        return table.no_result(problem, "name the columns with --metric");
    };
    let name = short(&table.headers[limit]);
    let remedy = format!(
        "\"{name}\" is read as a setting of the load: if it was measured, name it with --metric \"{name}:higher\""
    );
    table.no_result(problem, &remedy)
}
