/** The Nest application context of the broker's side: what serves commands and publishes lives and ends with it. */
import 'reflect-metadata';
import { Module, type DynamicModule, type INestApplicationContext, type LoggerService, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BrokerSide, type BrokerSideOptions } from './broker-side.js';

@Module({})
export class BrokerModule implements OnApplicationShutdown {
  constructor(private readonly side: BrokerSide) {}

  static of(options: BrokerSideOptions): DynamicModule {
    return { module: BrokerModule, providers: [{ provide: BrokerSide, useFactory: () => BrokerSide.start(options) }] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.side.stop();
  }
}

/** Started when it resolves, broker or not; closing the context stops it. */
export function joinBroker(options: BrokerSideOptions, logger: LoggerService): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(BrokerModule.of(options), { logger, abortOnError: false });
}
