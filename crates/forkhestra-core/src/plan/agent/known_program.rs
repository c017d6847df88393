//! Programs whose name is that of a supported agent program: `forkhestra claude:3`.

use crate::config::{Backend, Permissions, PrintArguments};
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn, PlanAgent};
use crate::plan::types::Prompt;
use crate::plan::value_origin::Sourced;

/// The arguments of an agent program, if a direct spawn supports all of them.
struct KnownProgramArguments<'a> {
    skips_permissions: bool,
    prompt: Option<&'a Sourced<String>>,
}

impl<'a> KnownProgramArguments<'a> {
    fn read(args: &'a [Sourced<String>], backend: Backend) -> Option<Self> {
        if args.is_empty() {
            return Some(Self { skips_permissions: false, prompt: None });
        }
        let PrintArguments { print, skip_permissions } = backend.facts().print_arguments?;
        let is = |word: &str| args.iter().any(|arg| arg.value == word);
        let is_flag = |arg: &&Sourced<String>| {
            print.contains(&arg.value.as_str()) || arg.value == skip_permissions
        };
        let prompt = match args.iter().filter(|arg| !is_flag(arg)).collect::<Vec<_>>().as_slice() {
            [] => None,
            // Without `-p` it may be a subcommand.
            [prompt] if print.iter().any(|word| is(word)) && is_prompt(&prompt.value) => {
                Some(*prompt)
            }
            _ => return None,
        };
        Some(Self { skips_permissions: is(skip_permissions), prompt })
    }
}

fn is_prompt(word: &str) -> bool {
    !word.trim().is_empty() && !word.starts_with('-')
}

/// Turns a program with the name of a supported agent program into a direct spawn, so that its
/// stream is parsed. It keeps its own permissions unless its arguments change them. With any other
/// arguments it stays a program, since the user starts it in a way of their own. So does a path,
/// which may be that of a wrapper.
///
/// The prompt among the arguments of `claude -p` becomes the prompt of the step, if it has no
/// other.
pub(crate) fn known_program(
    agent: PlanAgent,
    args: &mut Vec<Sourced<String>>,
    prompt: &mut Sourced<Prompt>,
) -> PlanAgent {
    let AgentKind::Program(program) = &agent.kind else { return agent };
    let backend = Backend::ALL.into_iter().find(|backend| backend.program() == program.command);
    let Some(backend) = backend.filter(|_| agent.replay.is_none()) else { return agent };
    let Some(known) = KnownProgramArguments::read(args, backend) else { return agent };
    let own_prompt = match (known.prompt, &prompt.value) {
        (Some(_), Prompt::Text(_) | Prompt::File(_)) => return agent,
        (own, _) => own,
    };
    if let Some(own) = own_prompt {
        *prompt = Sourced::new(Prompt::Text(own.value.clone()), own.source.clone());
    }
    let skips = known.skips_permissions;
    args.clear();
    let kind = AgentKind::Direct(DirectSpawn {
        permissions: if skips { Permissions::Skip } else { Permissions::Default },
        env: program.env.clone(),
        ..DirectSpawn::new(backend, program.command.clone(), program.location.clone())
    });
    PlanAgent { kind, ..agent }
}
