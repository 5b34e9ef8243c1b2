// `npm run unlock`: restores access for locked-out users, on the machine where Imori runs.
import { ensureBuilt, ensureInstalled, ensureNode } from './lib/prepare.mjs'

ensureNode()
ensureInstalled()
ensureBuilt()
process.env.NODE_ENV ??= 'production'
await import('../dist/server/unlock.js')
