//! From a version of a ManagedResource to open watches.

use std::sync::Arc;

use espejote_api::{ContextPlugin, ManagedResource, Plan, PlannedTrigger, Source, Watched, plugin::Grants};

use super::{
    Instance, defaults, named, owner, planned, service_account,
    serving::{QUIET, Serving},
};
use crate::{
    apply::{Known, Writer},
    computed::{self, ComputedInput},
    existence::Existence,
    failure::Failure,
    granted::{self, Granted, GrantedFiles},
    identity::ServiceAccount,
    logic::Program,
    reconcile::Reconciler,
    snapshot::{Input, Inputs},
    watch::{Tenant, WatchHandle, WatchKey},
};

/// What is watched for one version's plan. Dropping it closes what nobody else uses.
pub(super) struct Watching {
    pub(super) plan: Plan,
    pub(super) account: Arc<ServiceAccount>,
    pub(super) account_uid: Arc<str>,
    /// What the plugins are granted.
    pub(super) asked: Vec<Grants>,
    _contexts: Vec<(String, WatchHandle)>,
    pub(super) triggers: Vec<(PlannedTrigger, Option<WatchHandle>)>,
    pub(super) inputs: Arc<Inputs>,
    /// What the ServiceAccount's last writes left.
    known: Arc<Known>,
}

impl Instance {
    /// Opens everything that the current version needs. The token comes first: without one nothing else can be told.
    pub(super) async fn start(&mut self) -> Result<Serving, Failure> {
        let resource = self.current();
        let namespace = resource.metadata.namespace.clone().unwrap_or_default();
        named(&resource)?;
        let account = self
            .environment
            .identities
            .service_account(&namespace, service_account(&resource));
        let account_uid = account
            .ensure()
            .await
            .map_err(|error| Failure::of_identity(&error))?;
        let plan = planned(&resource)?;
        let logic = self.environment.programs.select(&namespace, &resource.spec);
        self.logic = Some(logic.changes());
        let program = logic.program_within(QUIET).await?;
        let watching = self.watch(&namespace, plan, account, account_uid, &program.ready.grants);
        let name = resource.metadata.name.as_deref().unwrap_or_default();
        self.environment.in_use.set(&namespace, name, &watching.inputs);
        self.environment.calls.make(program.check()).await?;
        let reconciler = Arc::new(self.reconciler(&resource, &watching, program));
        Ok(Serving::new(watching, resource, reconciler))
    }

    /// How this version reconciles.
    pub(super) fn reconciler(
        &self,
        resource: &ManagedResource,
        watching: &Watching,
        program: Program,
    ) -> Reconciler {
        let client = self.environment.identities.client_as(&watching.account);
        Reconciler {
            kept: program.ready.plugin.kept(),
            owner: owner(resource),
            generation: resource.metadata.generation.unwrap_or_default(),
            program,
            inputs: watching.inputs.clone(),
            libraries: self.environment.libraries.clone(),
            writer: Writer::new(
                client,
                self.environment.discovery.clone(),
                defaults(resource),
                watching.known.clone(),
            ),
            calls: self.environment.calls.clone(),
            recorder: self
                .environment
                .recordings
                .as_ref()
                .and_then(|all| all.of(resource)),
            existence: Existence::of(&self.versions),
        }
    }

    /// The logic of a version, if it can run.
    pub(super) async fn program(&self, resource: &ManagedResource) -> Result<Program, Failure> {
        let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
        let program = self
            .environment
            .programs
            .select(namespace, &resource.spec)
            .program()?;
        self.environment.calls.make(program.check()).await?;
        Ok(program)
    }

    fn watch(
        &self,
        namespace: &str,
        plan: Plan,
        account: Arc<ServiceAccount>,
        account_uid: Arc<str>,
        grants: &Grants,
    ) -> Watching {
        let mut asked = Vec::new();
        let open = |watched: &Watched| {
            let key = WatchKey::of(watched, tenant(&account, &account_uid));
            self.environment.watches.acquire(&key, plan.cache_sync_timeout)
        };
        let mut grant = |grants: &Grants| {
            asked.push(grants.clone());
            self.granted(namespace, grants, &open)
        };
        let contexts: Vec<_> = plan
            .contexts
            .iter()
            .filter_map(|context| Some((context.name.clone(), open(context.watched()?))))
            .collect();
        let triggers: Vec<_> = plan
            .triggers
            .iter()
            .map(|trigger| (trigger.clone(), opened(trigger, open)))
            .collect();
        let inputs = Arc::new(Inputs {
            contexts: contexts
                .iter()
                .map(|(name, handle)| Input::new(name, handle))
                .collect(),
            triggers: triggers
                .iter()
                .filter_map(|(t, handle)| Some(Input::new(&t.name, handle.as_ref()?)))
                .collect(),
            computed: self.computed(namespace, &plan, &mut grant),
            granted: grant(grants),
        });
        Watching {
            plan,
            account,
            account_uid,
            asked,
            _contexts: contexts,
            triggers,
            known: Arc::new(Known::new(inputs.clone())),
            inputs,
        }
    }

    fn computed(
        &self,
        namespace: &str,
        plan: &Plan,
        grant: &mut impl FnMut(&Grants) -> Granted,
    ) -> Vec<ComputedInput> {
        let programs = &self.environment.programs;
        let input = |(name, of): (&str, &ContextPlugin)| {
            let logic = computed::logic(programs, namespace, of);
            let granted = grant(&logic.grants());
            ComputedInput::new(name, &of.name, logic, granted)
        };
        plan.computed().map(input).collect()
    }

    /// What the plugins of a version are granted now: those of its computed contexts, then the logic's.
    pub(super) fn asked_grants(&self, namespace: &str, logic: &Grants, plan: &Plan) -> Vec<Grants> {
        let programs = &self.environment.programs;
        let computed = plan
            .computed()
            .map(|(_, of)| computed::logic(programs, namespace, of).grants());
        computed.chain([logic.clone()]).collect()
    }

    fn granted(&self, namespace: &str, grants: &Grants, open: &impl Fn(&Watched) -> WatchHandle) -> Granted {
        let files = grants.files.iter().flatten().filter_map(|grant| {
            let (kind, name) = granted::source(grant)?;
            let watch = open(&one(kind, namespace, name));
            let folder = self.environment.files.clone();
            Some(GrantedFiles::new(
                &grant.path,
                &format!("{kind} {name}"),
                watch,
                folder,
            ))
        });
        let hosts = grants.http.as_ref().map_or(&[][..], |http| &http.hosts);
        Granted::new(hosts, files.collect())
    }
}

/// One object of the core group.
fn one(kind: &str, namespace: &str, name: &str) -> Watched {
    Watched {
        api_version: "v1".to_owned(),
        kind: kind.to_owned(),
        namespace: Some(namespace.to_owned()),
        name: Some(name.to_owned()),
        label_selector: String::new(),
        match_names: Vec::new(),
        ignore_names: Vec::new(),
        strip_managed_fields: true,
    }
}

fn opened(trigger: &PlannedTrigger, open: impl Fn(&Watched) -> WatchHandle) -> Option<WatchHandle> {
    match &trigger.source {
        Source::Watch(watched) => Some(open(watched)),
        Source::Interval(_) => None,
    }
}

fn tenant(account: &ServiceAccount, uid: &Arc<str>) -> Tenant {
    Tenant::ServiceAccount {
        namespace: account.namespace().to_owned(),
        name: account.name().to_owned(),
        uid: uid.clone(),
    }
}
