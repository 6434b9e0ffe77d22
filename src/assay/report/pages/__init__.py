"""Pages about more than one evaluation: ranks, studies, streams and sites."""
