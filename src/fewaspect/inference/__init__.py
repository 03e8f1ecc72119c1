"""An encoder as it serves: token states from ONNX Runtime, caches, threads, and the shipped model."""
