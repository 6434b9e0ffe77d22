# Made by docs/generate.py from the registries of measures: change them and type `make docs`.
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from assay.measures import Measure
from assay.results import Estimate

__all__ = ["OF_MANY", "OF_TWO", "ManyClassMeasures", "TwoClassMeasures", "attributes_of"]

OF_TWO: tuple[Measure, ...]
OF_MANY: tuple[Measure, ...]

def attributes_of(measures: Iterable[Measure]) -> Iterator[tuple[str, Measure]]: ...

class TwoClassMeasures:
    """The measures of two classes as attributes, each an Estimate."""

    _measure_aliases: ClassVar[Mapping[str, str]]

    @property
    def roc_auc(self) -> Estimate:
        """ROC AUC: Chance that a random positive scores higher than a random negative, ties counted half."""

    auc = roc_auc

    auroc = roc_auc

    c_index = roc_auc

    c_statistic = roc_auc

    concordance = roc_auc

    @property
    def gini(self) -> Estimate:
        """Gini coefficient: Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a
        share of all pairs.
        """

    gini_coefficient = gini

    somers_d = gini

    dxy = gini

    accuracy_ratio = gini

    gain_capture = gini

    @property
    def partial_auc(self) -> Estimate:
        """Partial AUC, FPR 0 to 0.1: Mean recall over false-positive rates from 0 to 0.1, so that chance is 0.5 and
        perfection 1.
        """

    pauc = partial_auc

    pauc_fpr = partial_auc

    @property
    def average_precision(self) -> Estimate:
        """Average precision: Precision averaged over the positives, each at the threshold that just reaches it."""

    ap = average_precision

    auprc = average_precision

    pr_auc = average_precision

    @property
    def pr_area(self) -> Estimate:
        """Area under precision-recall: Area under the precision-recall curve as it truly runs between its points: a
        hyperbola, not a straight line.
        """

    interpolated_pr_area = pr_area

    davis_goadrich = pr_area

    @property
    def brier(self) -> Estimate:
        """Brier score: Mean squared distance between the probability and what happened."""

    brier_score = brier

    mean_squared_error = brier

    @property
    def brier_skill(self) -> Estimate:
        """Brier skill: Share of the Brier score of always predicting the prevalence that the classifier removes."""

    brier_skill_score = brier_skill

    scaled_brier = brier_skill

    ipa = brier_skill

    @property
    def log_loss(self) -> Estimate:
        """Log loss: Mean negative log-likelihood, in nats."""

    cross_entropy = log_loss

    logarithmic_loss = log_loss

    @property
    def log_loss_skill(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always predicting the prevalence that the classifier removes."""

    log_loss_skill_score = log_loss_skill

    mcfadden_r2 = log_loss_skill

    relative_information_gain = log_loss_skill

    @property
    def bayes_error(self) -> Estimate:
        """Estimated Bayes error: The error rate the classifier expects of itself if each case goes to its likelier
        class.
        """

    estimated_bayes_error = bayes_error

    expected_error = bayes_error

    @property
    def accuracy(self) -> Estimate:
        """Accuracy: Share of cases given their own class."""

    @property
    def error_rate(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    error = error_rate

    misclassification_rate = error_rate

    zero_one_loss = error_rate

    hamming_loss = error_rate

    @property
    def recall(self) -> Estimate:
        """Recall: Share of the positives that are predicted positive."""

    sensitivity = recall

    tpr = recall

    true_positive_rate = recall

    hit_rate = recall

    sens = recall

    @property
    def specificity(self) -> Estimate:
        """Specificity: Share of the negatives that are predicted negative."""

    tnr = specificity

    true_negative_rate = specificity

    selectivity = specificity

    spec = specificity

    @property
    def precision(self) -> Estimate:
        """Precision: Share of the predicted positives that are positive. It moves with the prevalence."""

    ppv = precision

    positive_predictive_value = precision

    @property
    def npv(self) -> Estimate:
        """Negative predictive value: Share of the predicted negatives that are negative. It moves with the
        prevalence.
        """

    negative_predictive_value = npv

    @property
    def fpr(self) -> Estimate:
        """False-positive rate: Share of the negatives that are predicted positive."""

    fall_out = fpr

    false_positive_rate = fpr

    false_alarm_rate = fpr

    @property
    def fnr(self) -> Estimate:
        """False-negative rate: Share of the positives that are predicted negative."""

    miss_rate = fnr

    false_negative_rate = fnr

    @property
    def fdr(self) -> Estimate:
        """False-discovery rate: Share of the predicted positives that are not. It moves with the prevalence."""

    false_discovery_rate = fdr

    @property
    def false_omission_rate(self) -> Estimate:
        """False-omission rate: Share of the predicted negatives that are positive. It moves with the prevalence."""

    fomr = false_omission_rate

    @property
    def f1(self) -> Estimate:
        """F1: Harmonic mean of precision and recall, with recall held equally important. It ignores the true
        negatives.
        """

    f1_score = f1

    f_1 = f1

    dice = f1

    f_measure = f1

    @property
    def f2(self) -> Estimate:
        """F2: Harmonic mean of precision and recall, with recall held 2 times as important. It ignores the true
        negatives.
        """

    f2_score = f2

    f_2 = f2

    @property
    def f05(self) -> Estimate:
        """F0.5: Harmonic mean of precision and recall, with recall held 0.5 times as important. It ignores the true
        negatives.
        """

    @property
    def jaccard(self) -> Estimate:
        """Jaccard index: True positives among all cases that are positive or predicted positive: F1 / (2 - F1). It
        ignores true negatives.
        """

    threat_score = jaccard

    critical_success_index = jaccard

    csi = jaccard

    intersection_over_union = jaccard

    iou = jaccard

    @property
    def g_measure(self) -> Estimate:
        """G-measure: Geometric mean of precision and recall."""

    fowlkes_mallows = g_measure

    gpr = g_measure

    cosine_similarity = g_measure

    @property
    def balanced_accuracy(self) -> Estimate:
        """Balanced accuracy: Mean of the classes' recalls: the accuracy if all classes were equally common."""

    bacc = balanced_accuracy

    mean_recall = balanced_accuracy

    point_auc = balanced_accuracy

    hard_auc = balanced_accuracy

    @property
    def averaged_class_error(self) -> Estimate:
        """Averaged class error: Mean over the classes of the share of each that was given another class."""

    balanced_error = averaged_class_error

    balanced_error_rate = averaged_class_error

    @property
    def g_mean(self) -> Estimate:
        """G-mean: Geometric mean of the classes' recalls: zero as soon as one class is always missed."""

    geometric_mean = g_mean

    gmean = g_mean

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa: Agreement beyond chance as a share of the largest possible: 0 at chance, 1 if perfect."""

    cohen_kappa = kappa

    kap = kappa

    @property
    def mcc(self) -> Estimate:
        """Matthews correlation: Correlation between true and predicted class, for any number of classes."""

    matthews_corrcoef = mcc

    phi = mcc

    @property
    def informedness(self) -> Estimate:
        """Informedness: Recall plus specificity minus one (TPR - FPR); 0 for a random classifier and every constant
        answer.
        """

    youden_j = informedness

    youden = informedness

    j_index = informedness

    bookmaker_informedness = informedness

    @property
    def markedness(self) -> Estimate:
        """Markedness: Precision plus negative predictive value minus one: how much a call says about the truth, 0 if
        nothing.
        """

    delta_p = markedness

    @property
    def likelihood_ratio_positive(self) -> Estimate:
        """Positive likelihood ratio: How many times likelier a positive call is among positives than among
        negatives; infinite without a false alarm.
        """

    lr_positive = likelihood_ratio_positive

    plr = likelihood_ratio_positive

    @property
    def likelihood_ratio_negative(self) -> Estimate:
        """Negative likelihood ratio: How many times likelier a negative call is among positives than among
        negatives.
        """

    lr_negative = likelihood_ratio_negative

    nlr = likelihood_ratio_negative

    @property
    def diagnostic_odds_ratio(self) -> Estimate:
        """Diagnostic odds ratio: How many times higher the odds of a positive call are among positives than among
        negatives.
        """

    dor = diagnostic_odds_ratio

    odds_ratio = diagnostic_odds_ratio

    @property
    def lift(self) -> Estimate:
        """Lift: How many times more frequent positives are among the predicted positives than among all cases: 1 for
        chance.
        """

    lift_score = lift

    @property
    def prevalence(self) -> Estimate:
        """Prevalence: Share of the cases that are positive: a fact about the data, not the classifier."""

    base_rate = prevalence

    @property
    def predicted_prevalence(self) -> Estimate:
        """Predicted prevalence: Share of the cases that are predicted positive."""

    detection_prevalence = predicted_prevalence

    share_flagged = predicted_prevalence

    apparent_prevalence = predicted_prevalence

    @property
    def detection_rate(self) -> Estimate:
        """Detection rate: Share of all cases that are positive and predicted positive."""

    @property
    def partial_auc_recall(self) -> Estimate:
        """Partial AUC, recall 0.9 to 1: Mean specificity over recalls from 0.9 to 1, so that chance is 0.5 and
        perfection 1.
        """

    pauc_recall = partial_auc_recall

    pauc_sensitivity = partial_auc_recall

    @property
    def ks(self) -> Estimate:
        """Kolmogorov-Smirnov statistic: Largest difference between the shares of positives and of negatives that a
        threshold calls positive.
        """

    ks_statistic = ks

    kolmogorov_smirnov = ks

    @property
    def hull_area(self) -> Estimate:
        """Area under the ROC hull: Area under the convex hull of the ROC curve: what chance between thresholds can
        reach at best.
        """

    auch = hull_area

    @property
    def h_measure(self) -> Estimate:
        """H-measure: Reduction of the loss without scores by the classifier, averaged over the costs of a false
        positive.
        """

    h = h_measure

    @property
    def linear_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    kappa_linear = linear_kappa

    weighted_kappa = linear_kappa

    linear_weighted_kappa = linear_kappa

    @property
    def quadratic_kappa(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    kappa_quadratic = quadratic_kappa

    quadratic_weighted_kappa = quadratic_kappa

    qwk = quadratic_kappa

    @property
    def rand_index(self) -> Estimate:
        """Rand index: Share of pairs of cases on which predicted and true labels agree about being in one class,
        whatever its name.
        """

    rand = rand_index

    @property
    def adjusted_rand(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    adjusted_rand_index = adjusted_rand

    ari = adjusted_rand

    crand = adjusted_rand

    @property
    def scott_pi(self) -> Estimate:
        """Scott's pi: Agreement of predicted and true labels beyond chance, where chance draws both from the same
        class shares.
        """

    scotts_pi = scott_pi

    fleiss_kappa = scott_pi

    @property
    def gwet_ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of predicted and true labels beyond chance, where only cases difficult to classify
        agree by chance.
        """

    ac1 = gwet_ac1

    gwets_ac1 = gwet_ac1

    @property
    def krippendorff_alpha(self) -> Estimate:
        """Krippendorff's alpha: Scott's pi corrected for the number of cases: disagreement as a share of what chance
        would give. Nominal labels.
        """

    krippendorffs_alpha = krippendorff_alpha

    @property
    def brennan_prediger(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    bennett_s = brennan_prediger

    s_coefficient = brennan_prediger

    @property
    def mutual_information(self) -> Estimate:
        """Mutual information: Information (bits) in the predicted label about the true label; the same if labels are
        swapped consistently.
        """

    mi = mutual_information

    information_transfer = mutual_information

    @property
    def break_even(self) -> Estimate:
        """Precision-recall break-even: Precision and recall where they are equal: where as many cases are predicted
        positive as there are positives.
        """

    prbe = break_even

    break_even_point = break_even

    r_precision = break_even

    @property
    def equal_error_rate(self) -> Estimate:
        """Equal error rate: Share of errors in either class at the threshold where both classes have the same: 0.5
        for chance.
        """

    eer = equal_error_rate

    crossover_error_rate = equal_error_rate

    @property
    def pr_area_lines(self) -> Estimate:
        """Area under precision-recall, straight lines: Area under straight lines between the points of a precision-
        recall curve, as yardstick and others compute it.
        """

    pr_auc_trapezoid = pr_area_lines

    linear_pr_area = pr_area_lines

    @property
    def sar(self) -> Estimate:
        """SAR: Mean of accuracy at a threshold of 0.5, ROC AUC and 1 minus the root of the Brier score."""

    squared_error_accuracy_roc = sar

    @property
    def nagelkerke_r2(self) -> Estimate:
        """Nagelkerke's R2: Likelihood gained over always predicting the prevalence, on a scale that ends at 1.
        Negative where it is lost.
        """

    nagelkerke = nagelkerke_r2

    r2_nagelkerke = nagelkerke_r2

    @property
    def discrimination_index(self) -> Estimate:
        """Discrimination index D: Likelihood gained for each case over predicting the prevalence, less what one
        coefficient would gain anyway.
        """

    rms_d = discrimination_index

    @property
    def unreliability_index(self) -> Estimate:
        """Unreliability index U: Likelihood that a line through the log odds would add, for each case, less what two
        coefficients add anyway.
        """

    rms_u = unreliability_index

    @property
    def quality_index(self) -> Estimate:
        """Quality index Q: Discrimination less unreliability: likelihood gained over the prevalence, less what a
        better scale would add.
        """

    rms_q = quality_index

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
        """Prior complexity: Bits needed to encode the true classes, given the class shares of the training data
        alone.
        """

    @property
    def sf_mean_prior_entropy(self) -> Estimate:
        """Prior complexity per case: Bits needed on average to say a true class to someone who knows the class
        shares of the training data alone.
        """

    @property
    def sf_scheme_entropy(self) -> Estimate:
        """Scheme complexity: Bits needed to encode the true classes, given the probabilities; each true class of
        probability 0 costs 1,074.
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

    mae = mean_absolute_error

    @property
    def root_mean_squared_error(self) -> Estimate:
        """Root mean squared error: Square root of the mean squared distance of the probabilities from 0 and 1, over
        all classes.
        """

    rmse = root_mean_squared_error

    @property
    def relative_absolute_error(self) -> Estimate:
        """Relative absolute error: Mean absolute error as a share of what the class shares of the training data
        would make: 1 is no better.
        """

    rae = relative_absolute_error

    @property
    def root_relative_squared_error(self) -> Estimate:
        """Root relative squared error: Root mean squared error as a share of what the class shares of the training
        data would make: 1 is no better.
        """

    rrse = root_relative_squared_error

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

    _measure_aliases: ClassVar[Mapping[str, str]]

    @property
    def hand_till(self) -> Estimate:
        """Hand-Till M: Chance that a case of one class scores higher for that class than a case of another, over all
        pairs of classes.
        """

    hand_till_m = hand_till

    mauc = hand_till

    au1u = hand_till

    roc_auc_ovo = hand_till

    @property
    def macro_roc_auc(self) -> Estimate:
        """Macro ROC AUC: Mean over the classes of the ROC AUC of each against the rest, every class counting the
        same.
        """

    roc_auc_macro = macro_roc_auc

    roc_auc_ovr = macro_roc_auc

    aunu = macro_roc_auc

    @property
    def weighted_roc_auc(self) -> Estimate:
        """Weighted ROC AUC: Mean over the classes of the ROC AUC of each against the rest, weighed by how common
        they are.
        """

    roc_auc_weighted = weighted_roc_auc

    roc_auc_ovr_weighted = weighted_roc_auc

    aunp = weighted_roc_auc

    @property
    def ovo_weighted_roc_auc(self) -> Estimate:
        """Pairwise ROC AUC, weighted: The Hand-Till mean over pairs of classes, each pair weighed by how common its
        two classes are.
        """

    ovo_weighted = ovo_weighted_roc_auc

    roc_auc_ovo_weighted = ovo_weighted_roc_auc

    au1p = ovo_weighted_roc_auc

    @property
    def macro_average_precision(self) -> Estimate:
        """Macro average precision: Mean over the classes of the average precision of each against the rest, every
        class counting the same.
        """

    average_precision_macro = macro_average_precision

    @property
    def weighted_average_precision(self) -> Estimate:
        """Weighted average precision: Mean over the classes of the average precision of each against the rest,
        weighed by how common they are.
        """

    average_precision_weighted = weighted_average_precision

    @property
    def brier(self) -> Estimate:
        """Brier score: Mean over the cases of the squared distance between the probabilities and what happened,
        summed over classes.
        """

    brier_score = brier

    mbrier = brier

    @property
    def brier_skill(self) -> Estimate:
        """Brier skill: Share of the Brier score of always predicting the class shares that the classifier removes."""

    brier_skill_score = brier_skill

    scaled_brier = brier_skill

    @property
    def log_loss(self) -> Estimate:
        """Log loss: Mean negative log-likelihood, in nats."""

    cross_entropy = log_loss

    logarithmic_loss = log_loss

    @property
    def log_loss_skill(self) -> Estimate:
        """Log-loss skill: Share of the log loss of always predicting the class shares that the classifier removes."""

    log_loss_skill_score = log_loss_skill

    mcfadden_r2 = log_loss_skill

    relative_information_gain = log_loss_skill

    @property
    def accuracy(self) -> Estimate:
        """Accuracy: Share of cases given their own class."""

    @property
    def error_rate(self) -> Estimate:
        """Error rate: Share of cases given another class than their own."""

    error = error_rate

    misclassification_rate = error_rate

    zero_one_loss = error_rate

    hamming_loss = error_rate

    @property
    def balanced_accuracy(self) -> Estimate:
        """Balanced accuracy: Mean of the recalls of the classes that occur: the accuracy if they were equally
        common.
        """

    bacc = balanced_accuracy

    mean_recall = balanced_accuracy

    point_auc = balanced_accuracy

    hard_auc = balanced_accuracy

    @property
    def averaged_class_error(self) -> Estimate:
        """Averaged class error: Mean over the classes that occur of the share of each that was given another class."""

    balanced_error = averaged_class_error

    balanced_error_rate = averaged_class_error

    @property
    def g_mean(self) -> Estimate:
        """G-mean: Geometric mean of the recalls of the classes that occur: zero as soon as one class is always
        missed.
        """

    geometric_mean = g_mean

    gmean = g_mean

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa: Agreement beyond chance as a share of the largest possible: 0 at chance, 1 if perfect."""

    cohen_kappa = kappa

    kap = kappa

    @property
    def mcc(self) -> Estimate:
        """Matthews correlation: Correlation between true and predicted class, for any number of classes."""

    matthews_corrcoef = mcc

    phi = mcc

    @property
    def macro_f1(self) -> Estimate:
        """Macro F1: Mean over the classes of the F1 of each against the rest, every class counting the same."""

    f1_macro = macro_f1

    @property
    def macro_precision(self) -> Estimate:
        """Macro precision: Mean over the classes of the precision of each against the rest, every class counting the
        same.
        """

    precision_macro = macro_precision

    @property
    def macro_recall(self) -> Estimate:
        """Macro recall: Mean over the classes of the recall of each against the rest, every class counting the same."""

    recall_macro = macro_recall

    @property
    def macro_specificity(self) -> Estimate:
        """Macro specificity: Mean over the classes of the specificity of each against the rest, every class counting
        the same.
        """

    specificity_macro = macro_specificity

    @property
    def macro_npv(self) -> Estimate:
        """Macro negative predictive value: Mean over the classes of the negative predictive value of each against
        the rest, every class counting the same.
        """

    npv_macro = macro_npv

    @property
    def micro_f1(self) -> Estimate:
        """Micro F1: The F1 of all pooled one-against-the-rest predictions, every case counting the same."""

    f1_micro = micro_f1

    @property
    def micro_precision(self) -> Estimate:
        """Micro precision: The precision of all pooled one-against-the-rest predictions, every case counting the
        same.
        """

    precision_micro = micro_precision

    @property
    def micro_recall(self) -> Estimate:
        """Micro recall: The recall of all pooled one-against-the-rest predictions, every case counting the same."""

    recall_micro = micro_recall

    @property
    def weighted_f1(self) -> Estimate:
        """Weighted F1: Mean over the classes of the F1 of each against the rest, weighed by how common they are."""

    f1_weighted = weighted_f1

    @property
    def weighted_precision(self) -> Estimate:
        """Weighted precision: Mean over the classes of the precision of each against the rest, weighed by how common
        they are.
        """

    precision_weighted = weighted_precision

    @property
    def weighted_recall(self) -> Estimate:
        """Weighted recall: Mean over the classes of the recall of each against the rest, weighed by how common they
        are.
        """

    recall_weighted = weighted_recall

    @property
    def weighted_specificity(self) -> Estimate:
        """Weighted specificity: Mean over the classes of the specificity of each against the rest, weighed by how
        common they are.
        """

    specificity_weighted = weighted_specificity

    @property
    def micro_roc_auc(self) -> Estimate:
        """Micro ROC AUC: Chance that the score of a case's own class is higher than the score of a wrong class of
        any case.
        """

    roc_auc_micro = micro_roc_auc

    roc_auc_ovr_micro = micro_roc_auc

    @property
    def micro_average_precision(self) -> Estimate:
        """Micro average precision: Average precision of the scores of all cases and classes as one ranking: own
        classes should come first.
        """

    average_precision_micro = micro_average_precision

    @property
    def ranked_probability_score(self) -> Estimate:
        """Ranked probability score: Mean squared distance of cumulated probabilities from what happened: being off
        by more classes costs more.
        """

    rps = ranked_probability_score

    @property
    def ranked_probability_skill(self) -> Estimate:
        """Ranked probability skill: Share of the ranked probability score of always predicting the class shares that
        the classifier removes.
        """

    rpss = ranked_probability_skill

    rps_skill = ranked_probability_skill

    @property
    def macro_jaccard(self) -> Estimate:
        """Macro Jaccard index: Mean over the classes of the Jaccard index of each against the rest, every class
        counting the same.
        """

    jaccard_macro = macro_jaccard

    @property
    def micro_jaccard(self) -> Estimate:
        """Micro Jaccard index: The Jaccard index of all pooled one-against-the-rest predictions, every case counting
        the same.
        """

    jaccard_micro = micro_jaccard

    @property
    def weighted_jaccard(self) -> Estimate:
        """Weighted Jaccard index: Mean over the classes of the Jaccard index of each against the rest, weighed by
        how common they are.
        """

    jaccard_weighted = weighted_jaccard

    @property
    def linear_kappa(self) -> Estimate:
        """Linear weighted kappa: Cohen's kappa where an error counts by how many classes it is off. Only for classes
        listed in their order.
        """

    kappa_linear = linear_kappa

    weighted_kappa = linear_kappa

    linear_weighted_kappa = linear_kappa

    @property
    def quadratic_kappa(self) -> Estimate:
        """Quadratic weighted kappa: Cohen's kappa where an error counts by the square of how many classes it is off.
        Only for classes in order.
        """

    kappa_quadratic = quadratic_kappa

    quadratic_weighted_kappa = quadratic_kappa

    qwk = quadratic_kappa

    @property
    def rand_index(self) -> Estimate:
        """Rand index: Share of pairs of cases on which predicted and true labels agree about being in one class,
        whatever its name.
        """

    rand = rand_index

    @property
    def adjusted_rand(self) -> Estimate:
        """Adjusted Rand index: The Rand index corrected for chance: 0 for unrelated groups, 1 for the same groups
        under any names.
        """

    adjusted_rand_index = adjusted_rand

    ari = adjusted_rand

    crand = adjusted_rand

    @property
    def scott_pi(self) -> Estimate:
        """Scott's pi: Agreement of predicted and true labels beyond chance, where chance draws both from the same
        class shares.
        """

    scotts_pi = scott_pi

    fleiss_kappa = scott_pi

    @property
    def gwet_ac1(self) -> Estimate:
        """Gwet's AC1: Agreement of predicted and true labels beyond chance, where only cases difficult to classify
        agree by chance.
        """

    ac1 = gwet_ac1

    gwets_ac1 = gwet_ac1

    @property
    def krippendorff_alpha(self) -> Estimate:
        """Krippendorff's alpha: Scott's pi corrected for the number of cases: disagreement as a share of what chance
        would give. Nominal labels.
        """

    krippendorffs_alpha = krippendorff_alpha

    @property
    def brennan_prediger(self) -> Estimate:
        """Brennan-Prediger coefficient: Accuracy beyond what guessing among the labels, each as likely, would reach:
        0 for such guesses, 1 for no error.
        """

    bennett_s = brennan_prediger

    s_coefficient = brennan_prediger

    @property
    def mutual_information(self) -> Estimate:
        """Mutual information: Information (bits) in the predicted label about the true label; the same if labels are
        swapped consistently.
        """

    mi = mutual_information

    information_transfer = mutual_information

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
        """Prior complexity: Bits needed to encode the true classes, given the class shares of the training data
        alone.
        """

    @property
    def sf_mean_prior_entropy(self) -> Estimate:
        """Prior complexity per case: Bits needed on average to say a true class to someone who knows the class
        shares of the training data alone.
        """

    @property
    def sf_scheme_entropy(self) -> Estimate:
        """Scheme complexity: Bits needed to encode the true classes, given the probabilities; each true class of
        probability 0 costs 1,074.
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

    mae = mean_absolute_error

    @property
    def root_mean_squared_error(self) -> Estimate:
        """Root mean squared error: Square root of the mean squared distance of the probabilities from 0 and 1, over
        all classes.
        """

    rmse = root_mean_squared_error

    @property
    def relative_absolute_error(self) -> Estimate:
        """Relative absolute error: Mean absolute error as a share of what the class shares of the training data
        would make: 1 is no better.
        """

    rae = relative_absolute_error

    @property
    def root_relative_squared_error(self) -> Estimate:
        """Root relative squared error: Root mean squared error as a share of what the class shares of the training
        data would make: 1 is no better.
        """

    rrse = root_relative_squared_error

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
