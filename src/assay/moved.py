"""Where classes and functions are today that older releases stored under another import path: recipes and pickles."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

__all__ = ["MOVED", "MovedModules", "current_path", "stored_path"]

# The path of a module, or of one name in it, as a release stored it: where it is today. A row is added by every move
# and never taken out. A name that recipes hold needs a row of its own: it must be found by where it is today, too.
MOVED: Mapping[str, str] = {
    "assay.calibration._cox_in_cells": "assay.calibration.cox_line",
    "assay.calibration._drawn": "assay.calibration.smoothing",
    "assay.calibration._line": "assay.calibration.cox_line",
    "assay.calibration._line_in_cells": "assay.calibration.cox_line",
    "assay.calibration.bands": "assay.calibration.isotonic",
    "assay.calibration.brier_parts": "assay.calibration.decomposition",
    "assay.calibration.drawings": "assay.calibration.diagrams",
    "assay.calibration.effect": "assay.calibration.recalibration",
    "assay.calibration.large": "assay.calibration.mean_and_slope",
    "assay.calibration.lowess": "assay.calibration.smoothing",
    "assay.calibration.many": "assay.calibration.errors",
    "assay.calibration.misfit": "assay.calibration.miscalibrated_ranges",
    "assay.calibration.recalibration_of_many": "assay.calibration.recalibration",
    "assay.calibration.smooth": "assay.calibration.smoothing",
    "assay.calibration.tests": "assay.calibration.goodness_of_fit",
    "assay.calibration.venn_abers": "assay.calibration.recalibration",
    "assay.cautions._caution": "assay.cautions.caution",
    "assay.cautions._facts": "assay.cautions.caution",
    "assay.comparison._rows": "assay.comparison.paired_influence",
    "assay.comparison._tables": "assay.comparison.pair_table",
    "assay.comparison.auc": "assay.comparison.roc_areas",
    "assay.comparison.careful": "assay.comparison.small_sample_limits",
    "assay.comparison.cheapest": "assay.comparison.costs",
    "assay.comparison.clustered": "assay.comparison.labels",
    "assay.comparison.fixed_rate": "assay.comparison.curve_tests",
    "assay.comparison.foretold_areas": "assay.comparison.power",
    "assay.comparison.gaps": "assay.comparison.subgroup_differences",
    "assay.comparison.hanley_mcneil": "assay.comparison.roc_areas",
    "assay.comparison.heterogeneity": "assay.comparison.meta_analysis",
    "assay.comparison.marginal": "assay.comparison.labels",
    "assay.comparison.of_cells": "assay.comparison.binned_comparison",
    "assay.comparison.paired_rates": "assay.comparison.rates",
    "assay.comparison.planned_area": "assay.comparison.power",
    "assay.comparison.planning": "assay.comparison.power",
    "assay.comparison.pooling": "assay.comparison.meta_analysis",
    "assay.comparison.profiled": "assay.comparison.meta_analysis",
    "assay.comparison.together": "assay.comparison.joint",
    "assay.comparison.unpaired": "assay.comparison.rates",
    "assay.comparison.unpaired.FEWEST_CASES": "assay.comparison.rates.FEWEST_EACH",
    "assay.comparison.venkatraman": "assay.comparison.curve_tests",
    "assay.curves._binormal_fit": "assay.curves.binormal",
    "assay.curves._curve": "assay.curves.curve",
    "assay.curves._drawing": "assay.curves.curve",
    "assay.curves._needs": "assay.curves.curve",
    "assay.curves.averaged": "assay.curves.fold_average",
    "assay.curves.bands": "assay.curves.roc_bands",
    "assay.curves.bands_bootstrap": "assay.curves.roc_bands",
    "assay.curves.bands_cases": "assay.curves.roc_bands",
    "assay.curves.cost_curves": "assay.curves.cost",
    "assay.curves.cost_weights": "assay.curves.cost",
    "assay.curves.dominance": "assay.curves.roc_curve",
    "assay.curves.points": "assay.curves.roc_curve",
    "assay.curves.ranked": "assay.curves.ranking",
    "assay.curves.risk_chart": "assay.curves.ranking",
    "assay.curves.roc_picture": "assay.curves.roc_curve",
    "assay.curves.smoothed": "assay.curves.roc_smoothing",
    "assay.curves.surface": "assay.curves.roc_curve",
    "assay.decisions._cuts": "assay.decisions.thresholds",
    "assay.decisions._optimism": "assay.decisions.thresholds",
    "assay.decisions._words": "assay.decisions.thresholds",
    "assay.decisions.asked": "assay.decisions.thresholds",
    "assay.decisions.demands": "assay.decisions.thresholds",
    "assay.decisions.implied": "assay.decisions.thresholds",
    "assay.decisions.place": "assay.decisions.thresholds",
    "assay.estimators._costs": "assay.estimators.cost_sensitive",
    "assay.estimators._costs.BY": "assay.estimators.cost_sensitive.BY",
    "assay.estimators._costs.CostSensitiveClassifier": "assay.estimators.cost_sensitive.CostSensitiveClassifier",
    "assay.estimators._costs.RejectClassifier": "assay.estimators.cost_sensitive.RejectClassifier",
    "assay.estimators._costs.WAYS": "assay.estimators.cost_sensitive.WAYS",
    "assay.estimators._costs.abstention_among": "assay.estimators.cost_sensitive.abstention_among",
    "assay.estimators._costs.cost_weights": "assay.estimators.cost_sensitive.cost_weights",
    "assay.estimators._costs.with_abstention": "assay.estimators.cost_sensitive.with_abstention",
    "assay.estimators._learning": "assay.estimators.base",
    "assay.estimators._margins": "assay.estimators.margins",
    "assay.estimators._margins.AsymmetricMarginSVC": "assay.estimators.margins.AsymmetricMarginSVC",
    "assay.estimators._margins.TOLERANCE": "assay.estimators.margins.TOLERANCE",
    "assay.estimators._metacost": "assay.estimators.cost_sensitive",
    "assay.estimators._metacost.MetaCostClassifier": "assay.estimators.cost_sensitive.MetaCostClassifier",
    "assay.estimators._metacost.REDRAWS": "assay.estimators.cost_sensitive.REDRAWS",
    "assay.estimators._mixture": "assay.estimators.post_processing",
    "assay.estimators._mixture.ALONE": "assay.estimators.post_processing.ALONE",
    "assay.estimators._mixture.HullMixtureClassifier": "assay.estimators.post_processing.HullMixtureClassifier",
    "assay.estimators._mixture.TWICE": "assay.estimators.post_processing.TWICE",
    "assay.estimators._pictures": "assay.estimators.pictures",
    "assay.estimators._rankboost": "assay.estimators.rankboost",
    "assay.estimators._rankboost.RankBoostClassifier": "assay.estimators.rankboost.RankBoostClassifier",
    "assay.estimators._rankboost.SMOOTH": "assay.estimators.rankboost.SMOOTH",
    "assay.estimators._rankboost.Stump": "assay.estimators.rankboost.Stump",
    "assay.estimators._recalibrated": "assay.estimators.post_processing",
    "assay.estimators._recalibrated.RecalibratedClassifier": "assay.estimators.post_processing.RecalibratedClassifier",
    "assay.estimators._recalibrated.SKLEARN": "assay.estimators.post_processing.SKLEARN",
    "assay.estimators._sklearn": "assay.estimators.base",
    "assay.estimators._threshold": "assay.estimators.post_processing",
    "assay.estimators._threshold.DRAWS": "assay.estimators.post_processing.DRAWS",
    "assay.estimators._threshold.ThresholdClassifier": "assay.estimators.post_processing.ThresholdClassifier",
    "assay.estimators._votes": "assay.estimators.cost_sensitive",
    "assay.estimators._votes.DRAWN": "assay.estimators.cost_sensitive.DRAWN",
    "assay.estimators._votes.VotesClassifier": "assay.estimators.cost_sensitive.VotesClassifier",
    "assay.evaluation._accumulated": "assay.evaluation.accumulator",
    "assay.evaluation._accumulator": "assay.evaluation.accumulator",
    "assay.evaluation._answer": "assay.evaluation.comparison",
    "assay.evaluation._attributes": "assay.evaluation.attributes",
    "assay.evaluation._baselines": "assay.evaluation.evaluation",
    "assay.evaluation._calibration": "assay.evaluation.calibration",
    "assay.evaluation._cells": "assay.evaluation.evaluation",
    "assay.evaluation._class_sums": "assay.evaluation.reduction",
    "assay.evaluation._compare": "assay.evaluation.entry_points",
    "assay.evaluation._comparison": "assay.evaluation.comparison",
    "assay.evaluation._counts": "assay.evaluation.entry_points",
    "assay.evaluation._curve_tests": "assay.evaluation.pair_tests",
    "assay.evaluation._curves": "assay.evaluation.curves",
    "assay.evaluation._difference_names": "assay.evaluation.sample_size",
    "assay.evaluation._differences": "assay.evaluation.differences",
    "assay.evaluation._each_difference": "assay.evaluation.differences",
    "assay.evaluation._errors": "assay.evaluation.calibration",
    "assay.evaluation._evaluate": "assay.evaluation.entry_points",
    "assay.evaluation._evaluation": "assay.evaluation.evaluation",
    "assay.evaluation._facts": "assay.evaluation.facts",
    "assay.evaluation._folds": "assay.evaluation.curves",
    "assay.evaluation._forecast": "assay.evaluation.sample_size",
    "assay.evaluation._forest": "assay.evaluation.sites",
    "assay.evaluation._gap_words": "assay.evaluation.groups",
    "assay.evaluation._gaps": "assay.evaluation.groups",
    "assay.evaluation._jointly": "assay.evaluation.differences",
    "assay.evaluation._kinds": "assay.evaluation.evaluation",
    "assay.evaluation._known_classes": "assay.evaluation.reduction",
    "assay.evaluation._make": "assay.evaluation.construction",
    "assay.evaluation._many_classes": "assay.evaluation.multiclass",
    "assay.evaluation._measured": "assay.evaluation.measure_properties",
    "assay.evaluation._misplaced": "assay.evaluation.entry_points",
    "assay.evaluation._named_tests": "assay.evaluation.pair_tests",
    "assay.evaluation._pair_tests": "assay.evaluation.pair_tests",
    "assay.evaluation._pairwise": "assay.evaluation.comparison",
    "assay.evaluation._per_class": "assay.evaluation.multiclass",
    "assay.evaluation._planned": "assay.evaluation.sample_size",
    "assay.evaluation._record": "assay.evaluation.facts",
    "assay.evaluation._reduce": "assay.evaluation.reduction",
    "assay.evaluation._reducing": "assay.evaluation.reduction",
    "assay.evaluation._resampled": "assay.evaluation.evaluation",
    "assay.evaluation._scorer": "assay.evaluation.entry_points",
    "assay.evaluation._several": "assay.evaluation.evaluations",
    "assay.evaluation._shared": "assay.evaluation.differences",
    "assay.evaluation._site_facts": "assay.evaluation.sites",
    "assay.evaluation._site_values": "assay.evaluation.sites",
    "assay.evaluation._sites": "assay.evaluation.sites",
    "assay.evaluation._sites_summary": "assay.evaluation.sites",
    "assay.evaluation._together": "assay.evaluation.evaluations",
    "assay.evaluation._two_classes": "assay.evaluation.binary",
    "assay.evaluation._unpaired": "assay.evaluation.unpaired_comparison",
    "assay.evaluation._without_rows": "assay.evaluation.comparison_from_sums",
    "assay.evidence.arrangements": "assay.evidence.binning_bounds",
    "assay.evidence.behind": "assay.evidence.confusion",
    "assay.evidence.binned": "assay.evidence.binning",
    "assay.evidence.blocks": "assay.evidence.score_table",
    "assay.evidence.cells": "assay.evidence.confusion",
    "assay.evidence.class_sums": "assay.evidence.multiclass",
    "assay.evidence.clustered": "assay.evidence.score_table",
    "assay.evidence.contribution": "assay.evidence.reduction",
    "assay.evidence.decided": "assay.evidence.predicted_labels",
    "assay.evidence.differing": "assay.evidence.reduction",
    "assay.evidence.errors": "assay.evidence.probability_losses",
    "assay.evidence.grid": "assay.evidence.binning",
    "assay.evidence.joint": "assay.evidence.joint_sums",
    "assay.evidence.memory": "assay.evidence.score_table",
    "assay.evidence.reach": "assay.evidence.score_table",
    "assay.evidence.reduced": "assay.evidence.reduction",
    "assay.evidence.scaling": "assay.evidence.reduction",
    "assay.evidence.scores": "assay.evidence.score_table",
    "assay.evidence.together": "assay.evidence.joint_sums",
    "assay.measures._clustered": "assay.measures.interval_methods",
    "assay.measures._cross_fitted": "assay.measures.kinds",
    "assay.measures._cross_fitted.Spread": "assay.measures.kinds.CrossFittedSpread",
    "assay.measures._facts": "assay.measures.measure",
    "assay.measures._kinds": "assay.measures.kinds",
    "assay.measures._many": "assay.measures.kinds",
    "assay.measures._many.Influence": "assay.measures.kinds.MulticlassInfluence",
    "assay.measures._many.Refusal": "assay.measures.kinds.MulticlassRefusal",
    "assay.measures._measure": "assay.measures.measure",
    "assay.measures._ordered": "assay.measures.kinds",
    "assay.measures._parameters": "assay.measures._registry",
    "assay.measures._ranked_classes": "assay.measures.multiclass_ranking",
    "assay.measures._spelling": "assay.measures.measure",
    "assay.measures._summed_classes": "assay.measures.multiclass_ranking",
    "assay.measures.by_name": "assay.measures.interval_methods",
    "assay.measures.chance": "assay.measures.chance_agreement",
    "assay.measures.class_ranking": "assay.measures.multiclass_ranking",
    "assay.measures.conditional": "assay.measures.rates",
    "assay.measures.likelihoods": "assay.measures.probability",
    "assay.measures.operating": "assay.measures.ranking",
    "assay.measures.operating.A_CLASS_IS_MISSING": "assay.measures.ranking.OPERATING_A_CLASS_IS_MISSING",
    "assay.measures.ordinal": "assay.measures.areas",
    "assay.measures.pooled": "assay.measures.multiclass_ranking",
    "assay.measures.raters": "assay.measures.agreement",
    "assay.measures.surface": "assay.measures.areas",
    "assay.measures.surface.NAME": "assay.measures.areas.SURFACE_NAME",
    "assay.ranks._folds": "assay.ranks.input",
    "assay.ranks._input": "assay.ranks.input",
    "assay.ranks.adjustments": "assay.ranks.posthoc",
    "assay.ranks.answer": "assay.ranks.ranks",
    "assay.ranks.critical_difference": "assay.ranks.diagram",
    "assay.ranks.friedman": "assay.ranks.omnibus",
    "assay.ranks.signed_rank": "assay.ranks.posthoc",
    "assay.ranks.words": "assay.ranks.ranks",
    "assay.request.card": "assay.request.predictions",
    "assay.request.contradictions": "assay.request.predictions",
    "assay.request.following": "assay.request.streams",
    "assay.request.front": "assay.request.predictions",
    "assay.request.memory": "assay.request.values",
    "assay.request.models": "assay.request.studies",
    "assay.request.others": "assay.request.studies",
    "assay.request.pooling": "assay.request.evidence",
    "assay.request.reducing": "assay.request.evidence",
    "assay.request.request": "assay.request.predictions",
    "assay.request.serving": "assay.request.workbench",
    "assay.sources._against": "assay.sources.assembly",
    "assay.sources._alike": "assay.sources.labels",
    "assay.sources._archives": "assay.sources.evidence_archive",
    "assay.sources._arff": "assay.sources.formats.arff",
    "assay.sources._arrow": "assay.sources.formats.arrow",
    "assay.sources._assemble": "assay.sources.assembly",
    "assay.sources._cells": "assay.sources.engine.scan",
    "assay.sources._class_facts": "assay.sources.engine.multiclass",
    "assay.sources._class_losses": "assay.sources.engine.multiclass",
    "assay.sources._coding": "assay.sources.labels",
    "assay.sources._collected": "assay.sources.engine.tables",
    "assay.sources._columns": "assay.sources.column_inference",
    "assay.sources._consistency": "assay.sources.evidence_consistency",
    "assay.sources._consistent_pairs": "assay.sources.evidence_consistency",
    "assay.sources._consistent_sums": "assay.sources.evidence_consistency",
    "assay.sources._consistent_tables": "assay.sources.evidence_consistency",
    "assay.sources._contents": "assay.sources.column_roles",
    "assay.sources._conversion": "assay.sources.conversion",
    "assay.sources._cost_file": "assay.sources.formats.cost_matrix",
    "assay.sources._decisions": "assay.sources.engine.joint",
    "assay.sources._decoded": "assay.sources.formats.encodings",
    "assay.sources._default": "assay.sources.assembly",
    "assay.sources._engine_rows": "assay.sources.engine.conversion",
    "assay.sources._evidence_pairs": "assay.sources.evidence_files",
    "assay.sources._evidence_sums": "assay.sources.evidence_files",
    "assay.sources._excel": "assay.sources.formats.excel",
    "assay.sources._faults": "assay.sources.formats.delimited",
    "assay.sources._figures": "assay.sources.evidence_consistency",
    "assay.sources._fit": "assay.sources.ambiguity",
    "assay.sources._foreign": "assay.sources.formats.detection",
    "assay.sources._formats": "assay.sources.formats.detection",
    "assay.sources._gathered": "assay.sources.engine.file_tables",
    "assay.sources._hashed": "assay.sources.engine.tables",
    "assay.sources._ids": "assay.sources.labels",
    "assay.sources._known": "assay.sources.engine.binned_predictions",
    "assay.sources._labels": "assay.sources.labels",
    "assay.sources._loaded": "assay.sources.column_data",
    "assay.sources._lying": "assay.sources.engine.tables",
    "assay.sources._models": "assay.sources.column_roles",
    "assay.sources._names": "assay.sources.column_names",
    "assay.sources._numpy": "assay.sources.formats.numpy",
    "assay.sources._own_names": "assay.sources.arrays",
    "assay.sources._probabilities": "assay.sources.probabilities",
    "assay.sources._progress": "assay.sources.source_record",
    "assay.sources._reachable": "assay.sources.engine.tables",
    "assay.sources._records": "assay.sources.source_record",
    "assay.sources._reduced": "assay.sources.engine.reduction",
    "assay.sources._reduction": "assay.sources.engine.reduction",
    "assay.sources._roles": "assay.sources.column_roles",
    "assay.sources._scan": "assay.sources.engine.scan",
    "assay.sources._settling": "assay.sources.ambiguity",
    "assay.sources._sql": "assay.sources.engine.queries",
    "assay.sources._subjects": "assay.sources.engine.scan",
    "assay.sources._tables": "assay.sources.formats.delimited",
    "assay.sources._telling": "assay.sources.ambiguity",
    "assay.sources._texts": "assay.sources.formats.delimited",
    "assay.sources._together": "assay.sources.engine.joint",
    "assay.sources._unpacked": "assay.sources.formats.compression",
    "assay.sources._values": "assay.sources.column_values",
    "assay.sources._ways": "assay.sources.column_names",
    "assay.sources._weka": "assay.sources.formats.weka",
    "assay.sources._wording": "assay.sources.quoting",
    "assay.sources._workbook": "assay.sources.formats.excel_process",
    "assay.sources._written": "assay.sources.column_values",
    "assay.sources.chunks": "assay.sources.batches",
    "assay.sources.held": "assay.sources.table_overview",
    "assay.sources.joined": "assay.sources.model_join",
    "assay.sources.overview": "assay.sources.table_overview",
    "assay.sources.rows": "assay.sources.row_stream",
    "assay.streams._baselines": "assay.streams.view",
    "assay.streams._batches": "assay.streams.history",
    "assay.streams._classes": "assay.streams.events",
    "assay.streams._detector": "assay.streams.drift",
    "assay.streams._flags": "assay.streams.alarms",
    "assay.streams._intervals": "assay.streams.view",
    "assay.streams._learners": "assay.streams.online_learning",
    "assay.streams._lines": "assay.streams.intake",
    "assay.streams._memory": "assay.streams.history",
    "assay.streams._moments": "assay.streams.windows",
    "assay.streams._reading": "assay.streams.events",
    "assay.streams._record": "assay.streams.prequential",
    "assay.streams._reference": "assay.streams.alarms",
    "assay.streams._ring": "assay.streams.windows",
    "assay.streams._rows": "assay.streams.intake",
    "assay.streams._scores": "assay.streams.history",
    "assay.streams._together": "assay.streams.alarms",
    "assay.streams._window": "assay.streams.windows",
    "assay.streams.adwin": "assay.streams.drift",
    "assay.streams.changes": "assay.streams.alarms",
    "assay.streams.checkpoint": "assay.streams.session",
    "assay.streams.delayed": "assay.streams.delayed_labels",
    "assay.streams.detections": "assay.streams.drift",
    "assay.streams.driving": "assay.streams.online_learning",
    "assay.streams.following": "assay.streams.line_follower",
    "assay.streams.moment": "assay.streams.watch",
    "assay.streams.pairs": "assay.streams.alarms",
    "assay.streams.rivals": "assay.streams.comparison",
    "assay.streams.run": "assay.streams.prequential",
    "assay.streams.views": "assay.streams.windows",
    "assay.targets": "assay.output_files",
    "assay.uncertainty._roots": "assay.uncertainty.proportions",
    "assay.uncertainty.bands": "assay.uncertainty.influence",
    "assay.uncertainty.bands_shared": "assay.uncertainty.curve_bands",
    "assay.uncertainty.cross_fitting": "assay.uncertainty.cross_validation",
    "assay.uncertainty.curve_likelihood": "assay.uncertainty.curve_bands",
    "assay.uncertainty.curve_limits": "assay.uncertainty.curve_bands",
    "assay.uncertainty.curve_simultaneous": "assay.uncertainty.curve_bands",
    "assay.uncertainty.curve_simultaneous.HALVINGS": "assay.uncertainty.curve_bands.CURVE_SIMULTANEOUS_HALVINGS",
    "assay.uncertainty.folds": "assay.uncertainty.cross_validation",
    "assay.uncertainty.kappa": "assay.uncertainty.influence",
    "assay.uncertainty.labels": "assay.uncertainty.significance_tests",
    "assay.uncertainty.lattice": "assay.uncertainty.dirichlet",
    "assay.uncertainty.obuchowski": "assay.uncertainty.delong",
    "assay.uncertainty.percentiles": "assay.uncertainty.bootstrap",
    "assay.uncertainty.placements": "assay.uncertainty.delong",
    "assay.uncertainty.predictive": "assay.uncertainty.proportions",
    "assay.uncertainty.ranks": "assay.uncertainty.significance_tests",
    "assay.uncertainty.ratios": "assay.uncertainty.proportions",
    "assay.uncertainty.resampling": "assay.uncertainty.bootstrap",
    "assay.uncertainty.scales": "assay.uncertainty.influence",
    "assay.uncertainty.sequences": "assay.uncertainty.confidence_sequences",
    "assay.uncertainty.sequences_closed": "assay.uncertainty.confidence_sequences",
    "assay.words": "assay.text",
}


def current_path(path: str, moved: Mapping[str, str] = MOVED) -> str:
    """Return where a module, a class or a function is today that was stored under `path`.

    >>> moved = {"assay.old": "assay.middle", "assay.middle": "assay.new", "assay.old.Tree": "assay.trees.Tree"}
    >>> current_path("assay.old.Forest", moved), current_path("assay.old.Tree", moved), current_path("sklearn.svm.SVC")
    ('assay.new.Forest', 'assay.trees.Tree', 'sklearn.svm.SVC')
    """
    start, rest = path, ""
    while start:
        if start in moved:
            return current_path(moved[start] + rest, moved)
        start, _, last = start.rpartition(".")
        rest = f".{last}{rest}"
    return path


def stored_path(path: str, moved: Mapping[str, str] = MOVED) -> str:
    """Return the path under which stores know what is at `path` today: digests are made of it.

    >>> stored_path("assay.trees.Tree", {"assay.old.Tree": "assay.trees.Tree"}), stored_path("sklearn.svm.SVC")
    ('assay.old.Tree', 'sklearn.svm.SVC')
    """
    before = next((old for old, new in moved.items() if new == path), None)
    return path if before is None else stored_path(before, moved)


class MovedModule(ModuleType):
    """A module that is elsewhere today, by the name it had: its names are those of where each of them is."""

    def __getattr__(self, name: str) -> Any:
        from importlib import import_module

        module, _, last = current_path(f"{self.__name__}.{name}").rpartition(".")
        if name.startswith("__") or module == self.__name__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(import_module(module), last)


class _Package(ModuleType):
    """A package in which an old module covers no name of today, such as a function called as the module was."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, MovedModule) and name in vars(self)):
            super().__setattr__(name, value)


class MovedModules:
    """Finds modules of ours by the names they had, so that pickles of older releases load.

    It comes last in `sys.meta_path`, and is asked only for what is not there.
    """

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return how to import a module that was moved; None for any other."""
        if not fullname.startswith("assay."):
            return None
        holds_moved = any(old.startswith(f"{fullname}.") for old in MOVED)
        if not holds_moved and current_path(fullname) == fullname:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(fullname, MovedModules, is_package=True)  # type: ignore[arg-type]  # a class is a loader, too

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """Return the module; its package keeps what it has by that name."""
        package = sys.modules[spec.name.rpartition(".")[0]]
        if type(package) is ModuleType:
            package.__class__ = _Package
        return MovedModule(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Run nothing: names are looked up when they are needed."""
