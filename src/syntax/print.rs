//! Tree to text.
