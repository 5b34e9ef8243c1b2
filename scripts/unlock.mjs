// `npm run unlock`: for people who cannot get in any more, on the machine where Imori runs.
import { ensureBuilt, ensureInstalled, ensureNode } from './lib/prepare.mjs'

ensureNode()
ensureInstalled()
ensureBuilt()
process.env.NODE_ENV ??= 'production'
await import('../dist/server/unlock.js')
