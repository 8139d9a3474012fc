/** `/v1/hosts`: what this gateway knows of the hosts, read from memory. */
import { Controller, Get, Inject } from '@nestjs/common';
import type { HostList } from '@holdfast/contracts';
import { HostDirectory } from './host-directory.js';

@Controller('v1/hosts')
export class HostsController {
  constructor(@Inject(HostDirectory) private readonly hosts: HostDirectory) {}

  @Get()
  list(): HostList {
    return { items: this.hosts.all() };
  }
}
