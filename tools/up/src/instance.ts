/** One running instance: its services, started together, kept running, and stopped in reverse order. */
import { subjectRoot } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { HoldfastConfig } from '@holdfast/platform-config';
import { StateLayout } from '@holdfast/platform-session-store';
import { join } from 'node:path';
import { countLivingSessions, gatewaysSeeSupervisor } from './gateway-questions.js';
import { ManagedService, type ServiceDefinition } from './managed-service.js';
import { ownNats, type OwnNats } from './nats-definition.js';
import { RetriedFile } from './retried-file.js';
import { gatewayDefinition, serviceDefinitions } from './service-definitions.js';
import type { InstanceFacts } from './service-environment.js';
import { ServiceLog } from './service-log.js';
import { UpStateFile } from './up-state-file.js';

export interface InstancePlan {
  readonly config: HoldfastConfig;
  readonly environment: NodeJS.ProcessEnv;
  readonly operatorToken: string;
  readonly gateways: number;
  readonly dashboardDir: string | undefined;
  /** The program to run when no broker is configured. */
  readonly natsProgram: string | undefined;
  readonly verbose: boolean;
  /** A line for the person in front of the terminal. */
  readonly report: (line: string) => void;
}

export class Instance {
  private readonly layout: StateLayout;
  private readonly upState: UpStateFile;
  private readonly nats: OwnNats | undefined;
  /** In the order of their start; those of a group stop together. */
  private readonly groups: ManagedService[][] = [];
  private readonly stopping = new AbortController();

  constructor(private readonly plan: InstancePlan) {
    const { config, natsProgram } = plan;
    this.layout = new StateLayout(config.stateDir);
    this.nats =
      natsProgram === undefined
        ? undefined
        : ownNats({ program: natsProgram, directory: this.layout.natsDir, instance: config.instance, report: plan.report });
    const facts = { natsUrl: () => this.natsUrl(), subjectRoot: subjectRoot(config.instance) };
    this.upState = new UpStateFile(new RetriedFile(this.layout.upStateFile, plan.report), facts);
  }

  /** Resolves with the gateways' addresses once everything serves. @throws ServiceError when a service refuses to start. */
  async start(): Promise<readonly string[]> {
    this.upState.remove();
    await this.nats?.endPredecessor();
    if (this.nats !== undefined) await this.startTogether([this.nats.definition]);
    const facts = this.facts();
    await this.startTogether(serviceDefinitions(this.plan.environment, facts), this.gatewayDefinitions(facts));
    const areJoined = await gatewaysSeeSupervisor(this.upState.gateways, this.plan.operatorToken, this.stopping.signal);
    this.stopping.signal.throwIfAborted();
    if (!areJoined) this.plan.report('the gateways do not reach the supervisor yet; sessions answer once they do');
    this.upState.publish();
    return this.upState.gateways;
  }

  /** Undefined when nobody could say. */
  countLivingSessions(): Promise<number | undefined> {
    return countLivingSessions(this.upState.gateways, this.plan.operatorToken);
  }

  /** Gateways first, the broker last. Sessions live on in their holders. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const group of this.groups.reverse()) await Promise.all(group.map((service) => service.stop()));
    this.nats?.forget();
    this.upState.remove();
  }

  /** They find each other, whoever is first: together they are ready sooner. Stopped in reverse order. */
  private async startTogether(...groups: (readonly ServiceDefinition[])[]): Promise<void> {
    this.stopping.signal.throwIfAborted();
    const services = groups.map((definitions) => definitions.map((definition) => this.manage(definition)));
    this.groups.push(...services);
    await Promise.all(services.flat().map((service) => service.start()));
  }

  private manage(definition: ServiceDefinition): ManagedService {
    const { verbose, report } = this.plan;
    const echo = verbose ? (line: string) => process.stderr.write(line) : undefined;
    return new ManagedService(definition, {
      log: new ServiceLog(join(this.layout.logsDir, `${definition.name}.log`), definition.name, echo),
      report,
      onReady: (service) => this.upState.set(service),
    });
  }

  private gatewayDefinitions(facts: InstanceFacts): ServiceDefinition[] {
    const { config, environment, operatorToken, dashboardDir, gateways } = this.plan;
    return Array.from({ length: gateways }, (_, index) => {
      const port = config.gateway.port === 0 ? 0 : config.gateway.port + index;
      return gatewayDefinition(environment, { ...facts, name: `gateway-${index + 1}`, port, operatorToken, dashboardDir });
    });
  }

  private facts(): InstanceFacts {
    const { instance, stateDir, runtimeDir } = this.plan.config;
    return { instance, stateDir, runtimeDir, natsUrl: this.natsUrl() };
  }

  private natsUrl(): string {
    const url = this.nats?.url() ?? this.plan.config.natsUrl;
    if (url === undefined) throw new ServiceError('internal', 'neither a broker of our own nor one configured');
    return url;
  }
}
