//! The macros that expand a row of the table of limits.

/// Defines the limits: `LimitChanges`, which holds the new value of each, and `LIMITS`, the table
/// itself.
macro_rules! limits {
    ($(
        $(#[doc = $doc:literal])*
        $field:ident: $Type:ty = $key:literal in $scope:ident.$member:ident {
            option: $option:literal,
            config: $config:literal,
            title: $title:literal,
            label: $label:literal,
            help: $help:expr,
            help_resume: $help_resume:literal,
            not_simulated: $not_simulated:expr,
            schema: $schema:literal,
        }
    )*) => {
        /// Limits that change from now on, as in the plan: seconds, numbers or an object, `null` for none.
        /// Unchanged limits are left out.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct LimitChanges {
            /// The maximum iterations of the steps that loop.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<NonZeroU32>")]
            pub iterations: Option<Count>,
            /// The maximum rounds of repeated groups. Since 3.0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<NonZeroU32>")]
            pub rounds: Option<Count>,
            $(
                $(#[doc = $doc])*
                #[serde(
                    default,
                    rename = $key,
                    skip_serializing_if = "Option::is_none",
                    deserialize_with = "changed"
                )]
                #[schemars(with = $schema)]
                pub $field: Option<Limit<$Type>>,
            )*
        }

        impl LimitChanges {
            /// The keys in events and control requests.
            pub const KEYS: &[&str] = &["iterations", "rounds", $($key),*];

            /// These changes, completed by `other` where these are empty.
            #[must_use]
            pub fn or(self, other: Self) -> Self {
                Self {
                    iterations: self.iterations.or(other.iterations),
                    rounds: self.rounds.or(other.rounds),
                    $($field: self.$field.or(other.$field),)*
                }
            }
        }

        /// All limits, in the order of the help.
        pub const LIMITS: &[LimitOption] = &[$(
            LimitOption {
                option: $option,
                config: $config,
                title: $title,
                label: $label,
                value_name: <$Type as LimitQuantity>::VALUE_NAME,
                example: <$Type as LimitQuantity>::EXAMPLE,
                help: $help,
                help_resume: $help_resume,
                not_simulated: $not_simulated,
                scope: scoped!($scope scope),
                set: |changes, text| {
                    changes.$field = Some(Limit::parse(text)?);
                    Ok(())
                },
                only: |changes| {
                    let value = changes.$field?;
                    Some(LimitChanges { $field: Some(value), ..LimitChanges::default() })
                },
                nth: |number| LimitChanges {
                    $field: Some(Limit::At(<$Type as LimitQuantity>::nth(number))),
                    ..LimitChanges::default()
                },
                get: |changes| changes.$field.map(|limit| limit.to_string()),
                change_run: scoped!(run $scope change $field $member $option),
                change_group: scoped!(group $scope change $field $member $option),
                change_step: scoped!(step $scope change $field $member $option),
                of_step: scoped!($scope of_step $member),
                of_group: scoped!($scope of_group $member),
                current: scoped!($scope current $member),
            },
        )*];
    };
}

/// How a row accesses the limits of a run, a group or a step: it belongs to one of them.
macro_rules! scoped {
    (run scope) => {
        LimitScope::Run
    };
    (group scope) => {
        LimitScope::Group
    };
    (step scope) => {
        LimitScope::Step
    };
    (run run change $field:ident $member:ident $option:literal) => {
        |changes, limits| change(&mut limits.$member, changes.$field, $option)
    };
    (group group change $field:ident $member:ident $option:literal) => {
        |changes, limits| change(&mut limits.$member, changes.$field, $option)
    };
    (step step change $field:ident $member:ident $option:literal) => {
        |changes, limits| change(&mut limits.$member, changes.$field, $option)
    };
    ($one:ident $other:ident change $field:ident $member:ident $option:literal) => {
        |_, _| {}
    };
    (step of_step $member:ident) => {
        |step| Some(as_text(&step.$member))
    };
    ($scope:ident of_step $member:ident) => {
        |_| None
    };
    (group of_group $member:ident) => {
        |group| Some(as_text(&group.$member))
    };
    ($scope:ident of_group $member:ident) => {
        |_| None
    };
    (run current $member:ident) => {
        |run, _, _| Some(run.$member.value.to_string())
    };
    (group current $member:ident) => {
        |_, group, _| Some(group?.$member.value.to_string())
    };
    (step current $member:ident) => {
        |_, _, step| Some(step.$member.value.to_string())
    };
}

pub(super) use {limits, scoped};
