"""Map matching: which roads a trace of noisy positions was driven on."""
