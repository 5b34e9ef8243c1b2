import { ensureInstalled, ensureNode } from './lib/prepare.mjs'
import { checks, runChecks } from './lib/run.mjs'

ensureNode()
ensureInstalled()
const { failed } = await runChecks(checks)
process.exitCode = failed ? 1 : 0
