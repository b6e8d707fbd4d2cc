"""What a model is asked, token by token: the protocol of models, prompts, token tries, the matcher."""
