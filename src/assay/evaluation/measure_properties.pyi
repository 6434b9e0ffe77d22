# Made by docs/generate.py from the registries of measures: change them and type `make docs`.
from collections.abc import Iterable, Iterator

from assay.measures import Measure
from assay.results import Estimate

__all__ = ["OF_MANY", "OF_TWO", "ManyClassMeasures", "TwoClassMeasures", "attributes_of"]

OF_TWO: tuple[Measure, ...]
OF_MANY: tuple[Measure, ...]

def attributes_of(measures: Iterable[Measure]) -> Iterator[tuple[str, Measure]]: ...

class TwoClassMeasures:
    """The measures of two classes as attributes, each an Estimate."""

    @property
    def roc_auc(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    @property
    def auc(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    @property
    def auroc(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    @property
    def c_index(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    @property
    def c_statistic(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    @property
    def concordance(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    @property
    def gini(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    @property
    def gini_coefficient(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    @property
    def somers_d(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    @property
    def dxy(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    @property
    def accuracy_ratio(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    @property
    def gain_capture(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    @property
    def partial_auc(self) -> Estimate:
        """Partial AUC, FPR 0 to 0.1: Mean recall over false-positive rates from 0 to 0.1, so that chance is 0.5 and
        perfection 1.
        """

    @property
    def pauc(self) -> Estimate:
        """Partial AUC, FPR 0 to 0.1: Mean recall over false-positive rates from 0 to 0.1, so that chance is 0.5 and
        perfection 1.
        """

    @property
    def pauc_fpr(self) -> Estimate:
        """Partial AUC, FPR 0 to 0.1: Mean recall over false-positive rates from 0 to 0.1, so that chance is 0.5 and
        perfection 1.
        """

    @property
    def average_precision(self) -> Estimate:
        """Average precision: Precision averaged over the positives, each at the threshold that just reaches it."""

    @property
    def ap(self) -> Estimate:
        """Average precision: Precision averaged over the positives, each at the threshold that just reaches it."""

    @property
    def auprc(self) -> Estimate:
        """Average precision: Precision averaged over the positives, each at the threshold that just reaches it."""

    @property
    def pr_auc(self) -> Estimate:
        """Average precision: Precision averaged over the positives, each at the threshold that just reaches it."""

    @property
    def pr_area(self) -> Estimate:
        """Area under precision-recall: Area under the precision-recall curve as it truly runs between its points: a
        hyperbola, not a straight line.
        """

    @property
    def interpolated_pr_area(self) -> Estimate:
        """Area under precision-recall: Area under the precision-recall curve as it truly runs between its points: a
        hyperbola, not a straight line.
        """

    @property
    def davis_goadrich(self) -> Estimate:
        """Area under precision-recall: Area under the precision-recall curve as it truly runs between its points: a
        hyperbola, not a straight line.
        """

    @property
    def brier(self) -> Estimate:
        """Brier score: Mean squared distance between the probability and what happened."""

    @property
    def brier_score(self) -> Estimate:
        """Brier score: Mean squared distance between the probability and what happened."""

    @property
    def mean_squared_error(self) -> Estimate:
        """Brier score: Mean squared distance between the probability and what happened."""

    @property
    def brier_skill(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the prevalence that the classifier removes."""

    @property
    def brier_skill_score(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the prevalence that the classifier removes."""

    @property
    def scaled_brier(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the prevalence that the classifier removes."""

    @property
    def ipa(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the prevalence that the classifier removes."""

    @property
    def log_loss(self) -> Estimate:
        """Log loss: Mean surprise at what happened, in nats."""

    @property
    def cross_entropy(self) -> Estimate:
        """Log loss: Mean surprise at what happened, in nats."""

    @property
    def logarithmic_loss(self) -> Estimate:
        """Log loss: Mean surprise at what happened, in nats."""

    @property
    def log_loss_skill(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the prevalence that the classifier removes."""

    @property
    def log_loss_skill_score(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the prevalence that the classifier removes."""

    @property
    def mcfadden_r2(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the prevalence that the classifier removes."""

    @property
    def relative_information_gain(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the prevalence that the classifier removes."""

    @property
    def bayes_error(self) -> Estimate:
        """Estimated Bayes error: The error rate the classifier expects of itself if each case goes to its likelier
        class.
        """

    @property
    def estimated_bayes_error(self) -> Estimate:
        """Estimated Bayes error: The error rate the classifier expects of itself if each case goes to its likelier
        class.
        """

    @property
    def expected_error(self) -> Estimate:
        """Estimated Bayes error: The error rate the classifier expects of itself if each case goes to its likelier
        class.
        """

    @property
    def accuracy(self) -> Estimate:
        """Accuracy: Share of cases given their own class."""

    @property
    def error_rate(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def error(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def misclassification_rate(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def zero_one_loss(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def hamming_loss(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def recall(self) -> Estimate:
        """Recall: Share of the positives that were called positive."""

    @property
    def sensitivity(self) -> Estimate:
        """Recall: Share of the positives that were called positive."""

    @property
    def tpr(self) -> Estimate:
        """Recall: Share of the positives that were called positive."""

    @property
    def true_positive_rate(self) -> Estimate:
        """Recall: Share of the positives that were called positive."""

    @property
    def hit_rate(self) -> Estimate:
        """Recall: Share of the positives that were called positive."""

    @property
    def sens(self) -> Estimate:
        """Recall: Share of the positives that were called positive."""

    @property
    def specificity(self) -> Estimate:
        """Specificity: Share of the negatives that were called negative."""

    @property
    def tnr(self) -> Estimate:
        """Specificity: Share of the negatives that were called negative."""

    @property
    def true_negative_rate(self) -> Estimate:
        """Specificity: Share of the negatives that were called negative."""

    @property
    def selectivity(self) -> Estimate:
        """Specificity: Share of the negatives that were called negative."""

    @property
    def spec(self) -> Estimate:
        """Specificity: Share of the negatives that were called negative."""

    @property
    def precision(self) -> Estimate:
        """Precision: Share of the cases called positive that are positive. It moves with the prevalence."""

    @property
    def ppv(self) -> Estimate:
        """Precision: Share of the cases called positive that are positive. It moves with the prevalence."""

    @property
    def positive_predictive_value(self) -> Estimate:
        """Precision: Share of the cases called positive that are positive. It moves with the prevalence."""

    @property
    def npv(self) -> Estimate:
        """Negative predictive value: Share of the cases called negative that are negative. It moves with the
        prevalence.
        """

    @property
    def negative_predictive_value(self) -> Estimate:
        """Negative predictive value: Share of the cases called negative that are negative. It moves with the
        prevalence.
        """

    @property
    def fpr(self) -> Estimate:
        """False-positive rate: Share of the negatives that were called positive."""

    @property
    def fall_out(self) -> Estimate:
        """False-positive rate: Share of the negatives that were called positive."""

    @property
    def false_positive_rate(self) -> Estimate:
        """False-positive rate: Share of the negatives that were called positive."""

    @property
    def false_alarm_rate(self) -> Estimate:
        """False-positive rate: Share of the negatives that were called positive."""

    @property
    def fnr(self) -> Estimate:
        """False-negative rate: Share of the positives that were not called positive."""

    @property
    def miss_rate(self) -> Estimate:
        """False-negative rate: Share of the positives that were not called positive."""

    @property
    def false_negative_rate(self) -> Estimate:
        """False-negative rate: Share of the positives that were not called positive."""

    @property
    def fdr(self) -> Estimate:
        """False-discovery rate: Share of the cases called positive that are not. It moves with the prevalence."""

    @property
    def false_discovery_rate(self) -> Estimate:
        """False-discovery rate: Share of the cases called positive that are not. It moves with the prevalence."""

    @property
    def false_omission_rate(self) -> Estimate:
        """False-omission rate: Share of the cases called negative that are positive. It moves with the prevalence."""

    @property
    def fomr(self) -> Estimate:
        """False-omission rate: Share of the cases called negative that are positive. It moves with the prevalence."""

    @property
    def f1(self) -> Estimate:
        """F1: Harmonic mean of precision and recall, with recall held equally important. It ignores the true
        negatives.
        """

    @property
    def f1_score(self) -> Estimate:
        """F1: Harmonic mean of precision and recall, with recall held equally important. It ignores the true
        negatives.
        """

    @property
    def f_1(self) -> Estimate:
        """F1: Harmonic mean of precision and recall, with recall held equally important. It ignores the true
        negatives.
        """

    @property
    def dice(self) -> Estimate:
        """F1: Harmonic mean of precision and recall, with recall held equally important. It ignores the true
        negatives.
        """

    @property
    def f_measure(self) -> Estimate:
        """F1: Harmonic mean of precision and recall, with recall held equally important. It ignores the true
        negatives.
        """

    @property
    def f2(self) -> Estimate:
        """F2: Harmonic mean of precision and recall, with recall held 2 times as important. It ignores the true
        negatives.
        """

    @property
    def f2_score(self) -> Estimate:
        """F2: Harmonic mean of precision and recall, with recall held 2 times as important. It ignores the true
        negatives.
        """

    @property
    def f_2(self) -> Estimate:
        """F2: Harmonic mean of precision and recall, with recall held 2 times as important. It ignores the true
        negatives.
        """

    @property
    def f05(self) -> Estimate:
        """F0.5: Harmonic mean of precision and recall, with recall held 0.5 times as important. It ignores the true
        negatives.
        """

    @property
    def jaccard(self) -> Estimate:
        """Jaccard index: Share of hits among all cases that are positive or were called so: F1 / (2 - F1). It
        ignores true negatives.
        """

    @property
    def threat_score(self) -> Estimate:
        """Jaccard index: Share of hits among all cases that are positive or were called so: F1 / (2 - F1). It
        ignores true negatives.
        """

    @property
    def critical_success_index(self) -> Estimate:
        """Jaccard index: Share of hits among all cases that are positive or were called so: F1 / (2 - F1). It
        ignores true negatives.
        """

    @property
    def csi(self) -> Estimate:
        """Jaccard index: Share of hits among all cases that are positive or were called so: F1 / (2 - F1). It
        ignores true negatives.
        """

    @property
    def intersection_over_union(self) -> Estimate:
        """Jaccard index: Share of hits among all cases that are positive or were called so: F1 / (2 - F1). It
        ignores true negatives.
        """

    @property
    def iou(self) -> Estimate:
        """Jaccard index: Share of hits among all cases that are positive or were called so: F1 / (2 - F1). It
        ignores true negatives.
        """

    @property
    def g_measure(self) -> Estimate:
        """G-measure: Geometric mean of precision and recall."""

    @property
    def fowlkes_mallows(self) -> Estimate:
        """G-measure: Geometric mean of precision and recall."""

    @property
    def gpr(self) -> Estimate:
        """G-measure: Geometric mean of precision and recall."""

    @property
    def cosine_similarity(self) -> Estimate:
        """G-measure: Geometric mean of precision and recall."""

    @property
    def balanced_accuracy(self) -> Estimate:
        """Balanced accuracy: Mean of the classes' recalls: the accuracy if all classes were equally common."""

    @property
    def bacc(self) -> Estimate:
        """Balanced accuracy: Mean of the classes' recalls: the accuracy if all classes were equally common."""

    @property
    def mean_recall(self) -> Estimate:
        """Balanced accuracy: Mean of the classes' recalls: the accuracy if all classes were equally common."""

    @property
    def point_auc(self) -> Estimate:
        """Balanced accuracy: Mean of the classes' recalls: the accuracy if all classes were equally common."""

    @property
    def hard_auc(self) -> Estimate:
        """Balanced accuracy: Mean of the classes' recalls: the accuracy if all classes were equally common."""

    @property
    def averaged_class_error(self) -> Estimate:
        """Averaged class error: Mean over the classes of the share of each that was given another class."""

    @property
    def balanced_error(self) -> Estimate:
        """Averaged class error: Mean over the classes of the share of each that was given another class."""

    @property
    def balanced_error_rate(self) -> Estimate:
        """Averaged class error: Mean over the classes of the share of each that was given another class."""

    @property
    def g_mean(self) -> Estimate:
        """G-mean: Geometric mean of the classes' recalls: zero as soon as one class is always missed."""

    @property
    def geometric_mean(self) -> Estimate:
        """G-mean: Geometric mean of the classes' recalls: zero as soon as one class is always missed."""

    @property
    def gmean(self) -> Estimate:
        """G-mean: Geometric mean of the classes' recalls: zero as soon as one class is always missed."""

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa: How much of the agreement that chance leaves open was reached: 0 at chance, 1 at
        perfection.
        """

    @property
    def cohen_kappa(self) -> Estimate:
        """Cohen's kappa: How much of the agreement that chance leaves open was reached: 0 at chance, 1 at
        perfection.
        """

    @property
    def kap(self) -> Estimate:
        """Cohen's kappa: How much of the agreement that chance leaves open was reached: 0 at chance, 1 at
        perfection.
        """

    @property
    def mcc(self) -> Estimate:
        """Matthews correlation: Correlation between true and decided class, for any number of classes."""

    @property
    def matthews_corrcoef(self) -> Estimate:
        """Matthews correlation: Correlation between true and decided class, for any number of classes."""

    @property
    def phi(self) -> Estimate:
        """Matthews correlation: Correlation between true and decided class, for any number of classes."""

    @property
    def informedness(self) -> Estimate:
        """Informedness: Recall plus specificity minus one: how far above a coin of any bias, 0 for every constant
        answer.
        """

    @property
    def youden_j(self) -> Estimate:
        """Informedness: Recall plus specificity minus one: how far above a coin of any bias, 0 for every constant
        answer.
        """

    @property
    def youden(self) -> Estimate:
        """Informedness: Recall plus specificity minus one: how far above a coin of any bias, 0 for every constant
        answer.
        """

    @property
    def j_index(self) -> Estimate:
        """Informedness: Recall plus specificity minus one: how far above a coin of any bias, 0 for every constant
        answer.
        """

    @property
    def bookmaker_informedness(self) -> Estimate:
        """Informedness: Recall plus specificity minus one: how far above a coin of any bias, 0 for every constant
        answer.
        """

    @property
    def markedness(self) -> Estimate:
        """Markedness: Precision plus negative predictive value minus one: how much a call says about the truth, 0 if
        nothing.
        """

    @property
    def delta_p(self) -> Estimate:
        """Markedness: Precision plus negative predictive value minus one: how much a call says about the truth, 0 if
        nothing.
        """

    @property
    def likelihood_ratio_positive(self) -> Estimate:
        """Positive likelihood ratio: How many times likelier a positive call is among positives than among
        negatives; infinite without a false alarm.
        """

    @property
    def lr_positive(self) -> Estimate:
        """Positive likelihood ratio: How many times likelier a positive call is among positives than among
        negatives; infinite without a false alarm.
        """

    @property
    def plr(self) -> Estimate:
        """Positive likelihood ratio: How many times likelier a positive call is among positives than among
        negatives; infinite without a false alarm.
        """

    @property
    def likelihood_ratio_negative(self) -> Estimate:
        """Negative likelihood ratio: How many times likelier a negative call is among positives than among
        negatives.
        """

    @property
    def lr_negative(self) -> Estimate:
        """Negative likelihood ratio: How many times likelier a negative call is among positives than among
        negatives.
        """

    @property
    def nlr(self) -> Estimate:
        """Negative likelihood ratio: How many times likelier a negative call is among positives than among
        negatives.
        """

    @property
    def diagnostic_odds_ratio(self) -> Estimate:
        """Diagnostic odds ratio: How many times higher the odds of a positive call are among positives than among
        negatives.
        """

    @property
    def dor(self) -> Estimate:
        """Diagnostic odds ratio: How many times higher the odds of a positive call are among positives than among
        negatives.
        """

    @property
    def odds_ratio(self) -> Estimate:
        """Diagnostic odds ratio: How many times higher the odds of a positive call are among positives than among
        negatives.
        """

    @property
    def lift(self) -> Estimate:
        """Lift: How many times commoner positives are among the cases called positive than among all cases: 1 for
        chance.
        """

    @property
    def lift_score(self) -> Estimate:
        """Lift: How many times commoner positives are among the cases called positive than among all cases: 1 for
        chance.
        """

    @property
    def prevalence(self) -> Estimate:
        """Prevalence: Share of the cases that are positive: a fact about the data, not the classifier."""

    @property
    def base_rate(self) -> Estimate:
        """Prevalence: Share of the cases that are positive: a fact about the data, not the classifier."""

    @property
    def predicted_prevalence(self) -> Estimate:
        """Predicted prevalence: Share of the cases that were called positive."""

    @property
    def detection_prevalence(self) -> Estimate:
        """Predicted prevalence: Share of the cases that were called positive."""

    @property
    def share_flagged(self) -> Estimate:
        """Predicted prevalence: Share of the cases that were called positive."""

    @property
    def apparent_prevalence(self) -> Estimate:
        """Predicted prevalence: Share of the cases that were called positive."""

    @property
    def detection_rate(self) -> Estimate:
        """Detection rate: Share of all cases that are positive and were called positive."""

    @property
    def partial_auc_recall(self) -> Estimate:
        """Partial AUC, recall 0.9 to 1: Mean specificity over recalls from 0.9 to 1, so that chance is 0.5 and
        perfection 1.
        """

    @property
    def pauc_recall(self) -> Estimate:
        """Partial AUC, recall 0.9 to 1: Mean specificity over recalls from 0.9 to 1, so that chance is 0.5 and
        perfection 1.
        """

    @property
    def pauc_sensitivity(self) -> Estimate:
        """Partial AUC, recall 0.9 to 1: Mean specificity over recalls from 0.9 to 1, so that chance is 0.5 and
        perfection 1.
        """

    @property
    def ks(self) -> Estimate:
        """Kolmogorov-Smirnov statistic: Largest difference between the shares of positives and of negatives that a
        threshold calls positive.
        """

    @property
    def ks_statistic(self) -> Estimate:
        """Kolmogorov-Smirnov statistic: Largest difference between the shares of positives and of negatives that a
        threshold calls positive.
        """

    @property
    def kolmogorov_smirnov(self) -> Estimate:
        """Kolmogorov-Smirnov statistic: Largest difference between the shares of positives and of negatives that a
        threshold calls positive.
        """

    @property
    def hull_area(self) -> Estimate:
        """Area under the ROC hull: Area under the convex hull of the ROC curve: what chance between thresholds can
        reach at best.
        """

    @property
    def auch(self) -> Estimate:
        """Area under the ROC hull: Area under the convex hull of the ROC curve: what chance between thresholds can
        reach at best.
        """

    @property
    def h_measure(self) -> Estimate:
        """H-measure: Share of the loss of knowing nothing that the score saves, averaged over what a false alarm may
        cost.
        """

    @property
    def h(self) -> Estimate:
        """H-measure: Share of the loss of knowing nothing that the score saves, averaged over what a false alarm may
        cost.
        """

    @property
    def linear_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def kappa_linear(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def weighted_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def linear_weighted_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def quadratic_kappa(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def kappa_quadratic(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def quadratic_weighted_kappa(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def qwk(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def rand_index(self) -> Estimate:
        """Rand index: Share of pairs of cases that decisions join or part as truth does, whatever the groups are
        called.
        """

    @property
    def rand(self) -> Estimate:
        """Rand index: Share of pairs of cases that decisions join or part as truth does, whatever the groups are
        called.
        """

    @property
    def adjusted_rand(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def adjusted_rand_index(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def ari(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def crand(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def scott_pi(self) -> Estimate:
        """Scott's pi: Agreement of decisions with truth beyond chance, where chance draws both from the same shares
        of the classes.
        """

    @property
    def scotts_pi(self) -> Estimate:
        """Scott's pi: Agreement of decisions with truth beyond chance, where chance draws both from the same shares
        of the classes.
        """

    @property
    def fleiss_kappa(self) -> Estimate:
        """Scott's pi: Agreement of decisions with truth beyond chance, where chance draws both from the same shares
        of the classes.
        """

    @property
    def gwet_ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of decisions with truth beyond chance, where chance strikes only the cases that are
        hard to tell.
        """

    @property
    def ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of decisions with truth beyond chance, where chance strikes only the cases that are
        hard to tell.
        """

    @property
    def gwets_ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of decisions with truth beyond chance, where chance strikes only the cases that are
        hard to tell.
        """

    @property
    def krippendorff_alpha(self) -> Estimate:
        """Krippendorff's alpha: Scott's pi corrected for the number of cases: disagreement as a share of what chance
        would give. Nominal labels.
        """

    @property
    def krippendorffs_alpha(self) -> Estimate:
        """Krippendorff's alpha: Scott's pi corrected for the number of cases: disagreement as a share of what chance
        would give. Nominal labels.
        """

    @property
    def brennan_prediger(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    @property
    def bennett_s(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    @property
    def s_coefficient(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    @property
    def mutual_information(self) -> Estimate:
        """Mutual information: Bits that the decision about a case tells of its class; as many for one that is always
        wrong in the same way.
        """

    @property
    def mi(self) -> Estimate:
        """Mutual information: Bits that the decision about a case tells of its class; as many for one that is always
        wrong in the same way.
        """

    @property
    def information_transfer(self) -> Estimate:
        """Mutual information: Bits that the decision about a case tells of its class; as many for one that is always
        wrong in the same way.
        """

    @property
    def break_even(self) -> Estimate:
        """Precision-recall break-even: Precision and recall where they are equal: where as many cases are called
        positive as there are positives.
        """

    @property
    def prbe(self) -> Estimate:
        """Precision-recall break-even: Precision and recall where they are equal: where as many cases are called
        positive as there are positives.
        """

    @property
    def break_even_point(self) -> Estimate:
        """Precision-recall break-even: Precision and recall where they are equal: where as many cases are called
        positive as there are positives.
        """

    @property
    def r_precision(self) -> Estimate:
        """Precision-recall break-even: Precision and recall where they are equal: where as many cases are called
        positive as there are positives.
        """

    @property
    def equal_error_rate(self) -> Estimate:
        """Equal error rate: Share of errors in either class at the threshold where both classes have the same: 0.5
        for chance.
        """

    @property
    def eer(self) -> Estimate:
        """Equal error rate: Share of errors in either class at the threshold where both classes have the same: 0.5
        for chance.
        """

    @property
    def crossover_error_rate(self) -> Estimate:
        """Equal error rate: Share of errors in either class at the threshold where both classes have the same: 0.5
        for chance.
        """

    @property
    def pr_area_lines(self) -> Estimate:
        """Area under precision-recall, straight lines: Area under straight lines between the points of a precision-
        recall curve, as yardstick and others compute it.
        """

    @property
    def pr_auc_trapezoid(self) -> Estimate:
        """Area under precision-recall, straight lines: Area under straight lines between the points of a precision-
        recall curve, as yardstick and others compute it.
        """

    @property
    def linear_pr_area(self) -> Estimate:
        """Area under precision-recall, straight lines: Area under straight lines between the points of a precision-
        recall curve, as yardstick and others compute it.
        """

    @property
    def sar(self) -> Estimate:
        """SAR: Mean of accuracy at a threshold of 0.5, ROC AUC and 1 minus the root of the Brier score."""

    @property
    def squared_error_accuracy_roc(self) -> Estimate:
        """SAR: Mean of accuracy at a threshold of 0.5, ROC AUC and 1 minus the root of the Brier score."""

    @property
    def nagelkerke_r2(self) -> Estimate:
        """Nagelkerke's R2: Likelihood gained over always saying the prevalence, on a scale that ends at 1. Negative
        where it is lost.
        """

    @property
    def nagelkerke(self) -> Estimate:
        """Nagelkerke's R2: Likelihood gained over always saying the prevalence, on a scale that ends at 1. Negative
        where it is lost.
        """

    @property
    def r2_nagelkerke(self) -> Estimate:
        """Nagelkerke's R2: Likelihood gained over always saying the prevalence, on a scale that ends at 1. Negative
        where it is lost.
        """

    @property
    def discrimination_index(self) -> Estimate:
        """Discrimination index D: Likelihood gained over always saying the prevalence, for each case, less what one
        coefficient would gain anyway.
        """

    @property
    def rms_d(self) -> Estimate:
        """Discrimination index D: Likelihood gained over always saying the prevalence, for each case, less what one
        coefficient would gain anyway.
        """

    @property
    def unreliability_index(self) -> Estimate:
        """Unreliability index U: Likelihood that a line through the log odds would add, for each case, less what two
        coefficients add anyway.
        """

    @property
    def rms_u(self) -> Estimate:
        """Unreliability index U: Likelihood that a line through the log odds would add, for each case, less what two
        coefficients add anyway.
        """

    @property
    def quality_index(self) -> Estimate:
        """Quality index Q: Discrimination less unreliability: likelihood gained over the prevalence, less what a
        better scale would add.
        """

    @property
    def rms_q(self) -> Estimate:
        """Quality index Q: Discrimination less unreliability: likelihood gained over the prevalence, less what a
        better scale would add.
        """

    @property
    def kb_relative_information(self) -> Estimate:
        """K&B relative information: Bits gained over the priors as a share of all there were to gain: 1 is certainty
        about every true class.
        """

    @property
    def kb_information(self) -> Estimate:
        """K&B information: Bits that the probabilities of the true classes gain over their priors, those lost
        subtracted, in all.
        """

    @property
    def kb_mean_information(self) -> Estimate:
        """K&B information per case: Bits that the probability of the true class gains over its prior, on average."""

    @property
    def sf_prior_entropy(self) -> Estimate:
        """Prior complexity: Bits needed to say the true classes to someone who knows the class shares of the
        training data alone.
        """

    @property
    def sf_mean_prior_entropy(self) -> Estimate:
        """Prior complexity per case: Bits needed on average to say a true class to someone who knows the class
        shares of the training data alone.
        """

    @property
    def sf_scheme_entropy(self) -> Estimate:
        """Scheme complexity: Bits needed to say the true classes to someone who knows the probabilities; each 0
        given to one costs 1,074.
        """

    @property
    def sf_mean_scheme_entropy(self) -> Estimate:
        """Scheme complexity per case: Bits needed on average to say a true class to someone who knows the
        probabilities: log loss in bits.
        """

    @property
    def sf_entropy_gain(self) -> Estimate:
        """Complexity improvement: Bits that the probabilities save, in all, over knowing the class shares of the
        training data alone.
        """

    @property
    def sf_mean_entropy_gain(self) -> Estimate:
        """Complexity improvement per case: Bits that the probabilities save, on average, over knowing the class
        shares of the training data alone.
        """

    @property
    def mean_absolute_error(self) -> Estimate:
        """Mean absolute error: How far the probabilities lie from 0 and 1 on average, over all classes. It rewards
        overstated confidence.
        """

    @property
    def mae(self) -> Estimate:
        """Mean absolute error: How far the probabilities lie from 0 and 1 on average, over all classes. It rewards
        overstated confidence.
        """

    @property
    def root_mean_squared_error(self) -> Estimate:
        """Root mean squared error: Square root of the mean squared distance of the probabilities from 0 and 1, over
        all classes.
        """

    @property
    def rmse(self) -> Estimate:
        """Root mean squared error: Square root of the mean squared distance of the probabilities from 0 and 1, over
        all classes.
        """

    @property
    def relative_absolute_error(self) -> Estimate:
        """Relative absolute error: Mean absolute error as a share of what the class shares of the training data
        would make: 1 is no better.
        """

    @property
    def rae(self) -> Estimate:
        """Relative absolute error: Mean absolute error as a share of what the class shares of the training data
        would make: 1 is no better.
        """

    @property
    def root_relative_squared_error(self) -> Estimate:
        """Root relative squared error: Root mean squared error as a share of what the class shares of the training
        data would make: 1 is no better.
        """

    @property
    def rrse(self) -> Estimate:
        """Root relative squared error: Root mean squared error as a share of what the class shares of the training
        data would make: 1 is no better.
        """

    @property
    def region_coverage(self) -> Estimate:
        """Coverage of cases (0.95 level): Share of cases whose class is among the most probable ones that together
        reach 0.95.
        """

    @property
    def region_size(self) -> Estimate:
        """Mean rel. region size (0.95 level): Share of the classes that it takes, on average, for the most probable
        ones to reach 0.95 together.
        """

class ManyClassMeasures:
    """The measures of more than two classes as attributes, each an Estimate."""

    @property
    def hand_till(self) -> Estimate:
        """Hand-Till M: Chance that a case of one class scores higher for that class than a case of another, over all
        pairs of classes.
        """

    @property
    def hand_till_m(self) -> Estimate:
        """Hand-Till M: Chance that a case of one class scores higher for that class than a case of another, over all
        pairs of classes.
        """

    @property
    def mauc(self) -> Estimate:
        """Hand-Till M: Chance that a case of one class scores higher for that class than a case of another, over all
        pairs of classes.
        """

    @property
    def au1u(self) -> Estimate:
        """Hand-Till M: Chance that a case of one class scores higher for that class than a case of another, over all
        pairs of classes.
        """

    @property
    def roc_auc_ovo(self) -> Estimate:
        """Hand-Till M: Chance that a case of one class scores higher for that class than a case of another, over all
        pairs of classes.
        """

    @property
    def macro_roc_auc(self) -> Estimate:
        """Macro ROC AUC: Mean over the classes of the ROC AUC of each against the rest, every class counting the
        same.
        """

    @property
    def roc_auc_macro(self) -> Estimate:
        """Macro ROC AUC: Mean over the classes of the ROC AUC of each against the rest, every class counting the
        same.
        """

    @property
    def roc_auc_ovr(self) -> Estimate:
        """Macro ROC AUC: Mean over the classes of the ROC AUC of each against the rest, every class counting the
        same.
        """

    @property
    def aunu(self) -> Estimate:
        """Macro ROC AUC: Mean over the classes of the ROC AUC of each against the rest, every class counting the
        same.
        """

    @property
    def weighted_roc_auc(self) -> Estimate:
        """Weighted ROC AUC: Mean over the classes of the ROC AUC of each against the rest, weighed by how common
        they are.
        """

    @property
    def roc_auc_weighted(self) -> Estimate:
        """Weighted ROC AUC: Mean over the classes of the ROC AUC of each against the rest, weighed by how common
        they are.
        """

    @property
    def roc_auc_ovr_weighted(self) -> Estimate:
        """Weighted ROC AUC: Mean over the classes of the ROC AUC of each against the rest, weighed by how common
        they are.
        """

    @property
    def aunp(self) -> Estimate:
        """Weighted ROC AUC: Mean over the classes of the ROC AUC of each against the rest, weighed by how common
        they are.
        """

    @property
    def ovo_weighted_roc_auc(self) -> Estimate:
        """Pairwise ROC AUC, weighted: The Hand-Till mean over pairs of classes, each pair weighed by how common its
        two classes are.
        """

    @property
    def ovo_weighted(self) -> Estimate:
        """Pairwise ROC AUC, weighted: The Hand-Till mean over pairs of classes, each pair weighed by how common its
        two classes are.
        """

    @property
    def roc_auc_ovo_weighted(self) -> Estimate:
        """Pairwise ROC AUC, weighted: The Hand-Till mean over pairs of classes, each pair weighed by how common its
        two classes are.
        """

    @property
    def au1p(self) -> Estimate:
        """Pairwise ROC AUC, weighted: The Hand-Till mean over pairs of classes, each pair weighed by how common its
        two classes are.
        """

    @property
    def macro_average_precision(self) -> Estimate:
        """Macro average precision: Mean over the classes of the average precision of each against the rest, every
        class counting the same.
        """

    @property
    def average_precision_macro(self) -> Estimate:
        """Macro average precision: Mean over the classes of the average precision of each against the rest, every
        class counting the same.
        """

    @property
    def weighted_average_precision(self) -> Estimate:
        """Weighted average precision: Mean over the classes of the average precision of each against the rest,
        weighed by how common they are.
        """

    @property
    def average_precision_weighted(self) -> Estimate:
        """Weighted average precision: Mean over the classes of the average precision of each against the rest,
        weighed by how common they are.
        """

    @property
    def brier(self) -> Estimate:
        """Brier score: Mean over the cases of the squared distance between the probabilities and what happened,
        summed over classes.
        """

    @property
    def brier_score(self) -> Estimate:
        """Brier score: Mean over the cases of the squared distance between the probabilities and what happened,
        summed over classes.
        """

    @property
    def mbrier(self) -> Estimate:
        """Brier score: Mean over the cases of the squared distance between the probabilities and what happened,
        summed over classes.
        """

    @property
    def brier_skill(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the class shares that the classifier removes."""

    @property
    def brier_skill_score(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the class shares that the classifier removes."""

    @property
    def scaled_brier(self) -> Estimate:
        """Brier skill: Share of the Brier score of always saying the class shares that the classifier removes."""

    @property
    def log_loss(self) -> Estimate:
        """Log loss: Mean surprise at what happened, in nats."""

    @property
    def cross_entropy(self) -> Estimate:
        """Log loss: Mean surprise at what happened, in nats."""

    @property
    def logarithmic_loss(self) -> Estimate:
        """Log loss: Mean surprise at what happened, in nats."""

    @property
    def log_loss_skill(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the class shares that the classifier removes."""

    @property
    def log_loss_skill_score(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the class shares that the classifier removes."""

    @property
    def mcfadden_r2(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the class shares that the classifier removes."""

    @property
    def relative_information_gain(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always saying the class shares that the classifier removes."""

    @property
    def accuracy(self) -> Estimate:
        """Accuracy: Share of cases given their own class."""

    @property
    def error_rate(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def error(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def misclassification_rate(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def zero_one_loss(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def hamming_loss(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    @property
    def balanced_accuracy(self) -> Estimate:
        """Balanced accuracy: Mean of the recalls of the classes that occur: the accuracy if they were equally
        common.
        """

    @property
    def bacc(self) -> Estimate:
        """Balanced accuracy: Mean of the recalls of the classes that occur: the accuracy if they were equally
        common.
        """

    @property
    def mean_recall(self) -> Estimate:
        """Balanced accuracy: Mean of the recalls of the classes that occur: the accuracy if they were equally
        common.
        """

    @property
    def point_auc(self) -> Estimate:
        """Balanced accuracy: Mean of the recalls of the classes that occur: the accuracy if they were equally
        common.
        """

    @property
    def hard_auc(self) -> Estimate:
        """Balanced accuracy: Mean of the recalls of the classes that occur: the accuracy if they were equally
        common.
        """

    @property
    def averaged_class_error(self) -> Estimate:
        """Averaged class error: Mean over the classes that occur of the share of each that was given another class."""

    @property
    def balanced_error(self) -> Estimate:
        """Averaged class error: Mean over the classes that occur of the share of each that was given another class."""

    @property
    def balanced_error_rate(self) -> Estimate:
        """Averaged class error: Mean over the classes that occur of the share of each that was given another class."""

    @property
    def g_mean(self) -> Estimate:
        """G-mean: Geometric mean of the recalls of the classes that occur: zero as soon as one class is always
        missed.
        """

    @property
    def geometric_mean(self) -> Estimate:
        """G-mean: Geometric mean of the recalls of the classes that occur: zero as soon as one class is always
        missed.
        """

    @property
    def gmean(self) -> Estimate:
        """G-mean: Geometric mean of the recalls of the classes that occur: zero as soon as one class is always
        missed.
        """

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa: How much of the agreement that chance leaves open was reached: 0 at chance, 1 at
        perfection.
        """

    @property
    def cohen_kappa(self) -> Estimate:
        """Cohen's kappa: How much of the agreement that chance leaves open was reached: 0 at chance, 1 at
        perfection.
        """

    @property
    def kap(self) -> Estimate:
        """Cohen's kappa: How much of the agreement that chance leaves open was reached: 0 at chance, 1 at
        perfection.
        """

    @property
    def mcc(self) -> Estimate:
        """Matthews correlation: Correlation between true and decided class, for any number of classes."""

    @property
    def matthews_corrcoef(self) -> Estimate:
        """Matthews correlation: Correlation between true and decided class, for any number of classes."""

    @property
    def phi(self) -> Estimate:
        """Matthews correlation: Correlation between true and decided class, for any number of classes."""

    @property
    def macro_f1(self) -> Estimate:
        """Macro F1: Mean over the classes of the F1 of each against the rest, every class counting the same."""

    @property
    def f1_macro(self) -> Estimate:
        """Macro F1: Mean over the classes of the F1 of each against the rest, every class counting the same."""

    @property
    def macro_precision(self) -> Estimate:
        """Macro precision: Mean over the classes of the precision of each against the rest, every class counting the
        same.
        """

    @property
    def precision_macro(self) -> Estimate:
        """Macro precision: Mean over the classes of the precision of each against the rest, every class counting the
        same.
        """

    @property
    def macro_recall(self) -> Estimate:
        """Macro recall: Mean over the classes of the recall of each against the rest, every class counting the same."""

    @property
    def recall_macro(self) -> Estimate:
        """Macro recall: Mean over the classes of the recall of each against the rest, every class counting the same."""

    @property
    def macro_specificity(self) -> Estimate:
        """Macro specificity: Mean over the classes of the specificity of each against the rest, every class counting
        the same.
        """

    @property
    def specificity_macro(self) -> Estimate:
        """Macro specificity: Mean over the classes of the specificity of each against the rest, every class counting
        the same.
        """

    @property
    def macro_npv(self) -> Estimate:
        """Macro negative predictive value: Mean over the classes of the negative predictive value of each against
        the rest, every class counting the same.
        """

    @property
    def npv_macro(self) -> Estimate:
        """Macro negative predictive value: Mean over the classes of the negative predictive value of each against
        the rest, every class counting the same.
        """

    @property
    def micro_f1(self) -> Estimate:
        """Micro F1: The F1 of all one-against-the-rest decisions taken together, every case counting the same."""

    @property
    def f1_micro(self) -> Estimate:
        """Micro F1: The F1 of all one-against-the-rest decisions taken together, every case counting the same."""

    @property
    def micro_precision(self) -> Estimate:
        """Micro precision: The precision of all one-against-the-rest decisions taken together, every case counting
        the same.
        """

    @property
    def precision_micro(self) -> Estimate:
        """Micro precision: The precision of all one-against-the-rest decisions taken together, every case counting
        the same.
        """

    @property
    def micro_recall(self) -> Estimate:
        """Micro recall: The recall of all one-against-the-rest decisions taken together, every case counting the
        same.
        """

    @property
    def recall_micro(self) -> Estimate:
        """Micro recall: The recall of all one-against-the-rest decisions taken together, every case counting the
        same.
        """

    @property
    def weighted_f1(self) -> Estimate:
        """Weighted F1: Mean over the classes of the F1 of each against the rest, weighed by how common they are."""

    @property
    def f1_weighted(self) -> Estimate:
        """Weighted F1: Mean over the classes of the F1 of each against the rest, weighed by how common they are."""

    @property
    def weighted_precision(self) -> Estimate:
        """Weighted precision: Mean over the classes of the precision of each against the rest, weighed by how common
        they are.
        """

    @property
    def precision_weighted(self) -> Estimate:
        """Weighted precision: Mean over the classes of the precision of each against the rest, weighed by how common
        they are.
        """

    @property
    def weighted_recall(self) -> Estimate:
        """Weighted recall: Mean over the classes of the recall of each against the rest, weighed by how common they
        are.
        """

    @property
    def recall_weighted(self) -> Estimate:
        """Weighted recall: Mean over the classes of the recall of each against the rest, weighed by how common they
        are.
        """

    @property
    def weighted_specificity(self) -> Estimate:
        """Weighted specificity: Mean over the classes of the specificity of each against the rest, weighed by how
        common they are.
        """

    @property
    def specificity_weighted(self) -> Estimate:
        """Weighted specificity: Mean over the classes of the specificity of each against the rest, weighed by how
        common they are.
        """

    @property
    def micro_roc_auc(self) -> Estimate:
        """Micro ROC AUC: Chance that the score of a case's own class is higher than the score of a wrong class of
        any case.
        """

    @property
    def roc_auc_micro(self) -> Estimate:
        """Micro ROC AUC: Chance that the score of a case's own class is higher than the score of a wrong class of
        any case.
        """

    @property
    def roc_auc_ovr_micro(self) -> Estimate:
        """Micro ROC AUC: Chance that the score of a case's own class is higher than the score of a wrong class of
        any case.
        """

    @property
    def micro_average_precision(self) -> Estimate:
        """Micro average precision: Average precision of the scores of all cases and classes as one ranking: own
        classes should come first.
        """

    @property
    def average_precision_micro(self) -> Estimate:
        """Micro average precision: Average precision of the scores of all cases and classes as one ranking: own
        classes should come first.
        """

    @property
    def ranked_probability_score(self) -> Estimate:
        """Ranked probability score: Mean squared distance of cumulated probabilities from what happened: being off
        by more classes costs more.
        """

    @property
    def rps(self) -> Estimate:
        """Ranked probability score: Mean squared distance of cumulated probabilities from what happened: being off
        by more classes costs more.
        """

    @property
    def ranked_probability_skill(self) -> Estimate:
        """Ranked probability skill: Share of the ranked probability score of always saying the class shares that the
        classifier removes.
        """

    @property
    def rpss(self) -> Estimate:
        """Ranked probability skill: Share of the ranked probability score of always saying the class shares that the
        classifier removes.
        """

    @property
    def rps_skill(self) -> Estimate:
        """Ranked probability skill: Share of the ranked probability score of always saying the class shares that the
        classifier removes.
        """

    @property
    def macro_jaccard(self) -> Estimate:
        """Macro Jaccard index: Mean over the classes of the Jaccard index of each against the rest, every class
        counting the same.
        """

    @property
    def jaccard_macro(self) -> Estimate:
        """Macro Jaccard index: Mean over the classes of the Jaccard index of each against the rest, every class
        counting the same.
        """

    @property
    def micro_jaccard(self) -> Estimate:
        """Micro Jaccard index: The Jaccard index of all one-against-the-rest decisions taken together, every case
        counting the same.
        """

    @property
    def jaccard_micro(self) -> Estimate:
        """Micro Jaccard index: The Jaccard index of all one-against-the-rest decisions taken together, every case
        counting the same.
        """

    @property
    def weighted_jaccard(self) -> Estimate:
        """Weighted Jaccard index: Mean over the classes of the Jaccard index of each against the rest, weighed by
        how common they are.
        """

    @property
    def jaccard_weighted(self) -> Estimate:
        """Weighted Jaccard index: Mean over the classes of the Jaccard index of each against the rest, weighed by
        how common they are.
        """

    @property
    def linear_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def kappa_linear(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def weighted_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def linear_weighted_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    @property
    def quadratic_kappa(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def kappa_quadratic(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def quadratic_weighted_kappa(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def qwk(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    @property
    def rand_index(self) -> Estimate:
        """Rand index: Share of pairs of cases that decisions join or part as truth does, whatever the groups are
        called.
        """

    @property
    def rand(self) -> Estimate:
        """Rand index: Share of pairs of cases that decisions join or part as truth does, whatever the groups are
        called.
        """

    @property
    def adjusted_rand(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def adjusted_rand_index(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def ari(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def crand(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    @property
    def scott_pi(self) -> Estimate:
        """Scott's pi: Agreement of decisions with truth beyond chance, where chance draws both from the same shares
        of the classes.
        """

    @property
    def scotts_pi(self) -> Estimate:
        """Scott's pi: Agreement of decisions with truth beyond chance, where chance draws both from the same shares
        of the classes.
        """

    @property
    def fleiss_kappa(self) -> Estimate:
        """Scott's pi: Agreement of decisions with truth beyond chance, where chance draws both from the same shares
        of the classes.
        """

    @property
    def gwet_ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of decisions with truth beyond chance, where chance strikes only the cases that are
        hard to tell.
        """

    @property
    def ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of decisions with truth beyond chance, where chance strikes only the cases that are
        hard to tell.
        """

    @property
    def gwets_ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of decisions with truth beyond chance, where chance strikes only the cases that are
        hard to tell.
        """

    @property
    def krippendorff_alpha(self) -> Estimate:
        """Krippendorff's alpha: Scott's pi corrected for the number of cases: disagreement as a share of what chance
        would give. Nominal labels.
        """

    @property
    def krippendorffs_alpha(self) -> Estimate:
        """Krippendorff's alpha: Scott's pi corrected for the number of cases: disagreement as a share of what chance
        would give. Nominal labels.
        """

    @property
    def brennan_prediger(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    @property
    def bennett_s(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    @property
    def s_coefficient(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    @property
    def mutual_information(self) -> Estimate:
        """Mutual information: Bits that the decision about a case tells of its class; as many for one that is always
        wrong in the same way.
        """

    @property
    def mi(self) -> Estimate:
        """Mutual information: Bits that the decision about a case tells of its class; as many for one that is always
        wrong in the same way.
        """

    @property
    def information_transfer(self) -> Estimate:
        """Mutual information: Bits that the decision about a case tells of its class; as many for one that is always
        wrong in the same way.
        """

    @property
    def kb_relative_information(self) -> Estimate:
        """K&B relative information: Bits gained over the priors as a share of all there were to gain: 1 is certainty
        about every true class.
        """

    @property
    def kb_information(self) -> Estimate:
        """K&B information: Bits that the probabilities of the true classes gain over their priors, those lost
        subtracted, in all.
        """

    @property
    def kb_mean_information(self) -> Estimate:
        """K&B information per case: Bits that the probability of the true class gains over its prior, on average."""

    @property
    def sf_prior_entropy(self) -> Estimate:
        """Prior complexity: Bits needed to say the true classes to someone who knows the class shares of the
        training data alone.
        """

    @property
    def sf_mean_prior_entropy(self) -> Estimate:
        """Prior complexity per case: Bits needed on average to say a true class to someone who knows the class
        shares of the training data alone.
        """

    @property
    def sf_scheme_entropy(self) -> Estimate:
        """Scheme complexity: Bits needed to say the true classes to someone who knows the probabilities; each 0
        given to one costs 1,074.
        """

    @property
    def sf_mean_scheme_entropy(self) -> Estimate:
        """Scheme complexity per case: Bits needed on average to say a true class to someone who knows the
        probabilities: log loss in bits.
        """

    @property
    def sf_entropy_gain(self) -> Estimate:
        """Complexity improvement: Bits that the probabilities save, in all, over knowing the class shares of the
        training data alone.
        """

    @property
    def sf_mean_entropy_gain(self) -> Estimate:
        """Complexity improvement per case: Bits that the probabilities save, on average, over knowing the class
        shares of the training data alone.
        """

    @property
    def mean_absolute_error(self) -> Estimate:
        """Mean absolute error: How far the probabilities lie from 0 and 1 on average, over all classes. It rewards
        overstated confidence.
        """

    @property
    def mae(self) -> Estimate:
        """Mean absolute error: How far the probabilities lie from 0 and 1 on average, over all classes. It rewards
        overstated confidence.
        """

    @property
    def root_mean_squared_error(self) -> Estimate:
        """Root mean squared error: Square root of the mean squared distance of the probabilities from 0 and 1, over
        all classes.
        """

    @property
    def rmse(self) -> Estimate:
        """Root mean squared error: Square root of the mean squared distance of the probabilities from 0 and 1, over
        all classes.
        """

    @property
    def relative_absolute_error(self) -> Estimate:
        """Relative absolute error: Mean absolute error as a share of what the class shares of the training data
        would make: 1 is no better.
        """

    @property
    def rae(self) -> Estimate:
        """Relative absolute error: Mean absolute error as a share of what the class shares of the training data
        would make: 1 is no better.
        """

    @property
    def root_relative_squared_error(self) -> Estimate:
        """Root relative squared error: Root mean squared error as a share of what the class shares of the training
        data would make: 1 is no better.
        """

    @property
    def rrse(self) -> Estimate:
        """Root relative squared error: Root mean squared error as a share of what the class shares of the training
        data would make: 1 is no better.
        """

    @property
    def region_coverage(self) -> Estimate:
        """Coverage of cases (0.95 level): Share of cases whose class is among the most probable ones that together
        reach 0.95.
        """

    @property
    def region_size(self) -> Estimate:
        """Mean rel. region size (0.95 level): Share of the classes that it takes, on average, for the most probable
        ones to reach 0.95 together.
        """
