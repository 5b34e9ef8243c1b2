import { endWithParent, ensureBuilt, ensureInstalled, ensureNode } from './lib/prepare.mjs'

ensureNode()
ensureInstalled()
ensureBuilt()
endWithParent()
process.env.NODE_ENV ??= 'production'
// The server runs in this process, so that there is only one Node.js process and signals need no forwarding.
await import('../dist/server/main.js')
