import { endWithParent, ensureBuilt, ensureInstalled, ensureNode } from './lib/prepare.mjs'

ensureNode()
ensureInstalled()
ensureBuilt()
endWithParent()
process.env.NODE_ENV ??= 'production'
// In this process, so that one Node.js remains and signals need no passing on.
await import('../dist/server/main.js')
