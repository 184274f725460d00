"""`unscaled completion`: prints what a shell needs to complete commands and options."""

import click
from click.shell_completion import get_completion_class

COMPLETE = "_UNSCALED_COMPLETE"
"""The variable in which a shell's script asks for completions."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
      bash   eval "$(unscaled completion bash)"       in ~/.bashrc
      zsh    eval "$(unscaled completion zsh)"        in ~/.zshrc
      fish   unscaled completion fish | source        in ~/.config/fish/config.fish
    """
    maker = get_completion_class(shell)
    if maker is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(maker(context.find_root().command, {}, "unscaled", COMPLETE).source())
