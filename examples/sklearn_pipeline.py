"""The detector as a scikit-learn estimator: in a pipeline, cross-validated, beside a usual baseline.

pip install fewaspect scikit-learn
"""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer

from fewaspect import AspectDetector
from fewaspect.data.sample_set import load_sample

sentences = load_sample()["test"]
texts = [sentence.text for sentence in sentences]
binarizer = MultiLabelBinarizer()
truth = binarizer.fit_transform([sentence.aspects for sentence in sentences])  # (sentences, aspects) of 0 and 1

tidy = FunctionTransformer(lambda texts: [text.replace("  ", " ").strip() for text in texts])
systems = {
    "fewaspect": make_pipeline(tidy, AspectDetector()),
    "TF-IDF and logistic regression": make_pipeline(
        tidy,
        TfidfVectorizer(sublinear_tf=True),
        OneVsRestClassifier(LogisticRegression(C=10, class_weight="balanced")),
    ),
}
print(f"{len(texts)} sentences, {len(binarizer.classes_)} aspects; learned from one fifth, tested on four")
print("macro-F1\n")
folds = KFold(n_splits=5, shuffle=True, random_state=0)
turned = [(few, many) for many, few in folds.split(texts)]  # few examples is the point here
for name, system in systems.items():
    found = cross_val_score(system, texts, truth, scoring="f1_macro", cv=turned)
    print(f"{name:32} {found.mean():.2f}  (folds from {found.min():.2f} to {found.max():.2f})")
