#error "A header of millrace includes a header of the project that uses it."
