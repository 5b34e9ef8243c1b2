import type { Exchange } from './context.ts'

/** Where use-cases keep the files of a request while they come, and what tells them that the sender has gone. */
export const incomingPlace = ({ config, signal }: Exchange) => ({
  dataDir: config.dataDir,
  diskReserve: config.storage.diskReserve,
  signal,
})
