import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './prepare.mjs'
import { serverFlags } from './server-flags.mjs'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

it('package.json, the systemd unit and the Dockerfile start the server with the same Node.js flags', () => {
  const flags = serverFlags.join(' ')
  expect(JSON.parse(read('package.json')).scripts.start).toBe(`node ${flags} scripts/start.mjs`)
  expect(read('deploy/imori.service')).toContain(`\nExecStart=/usr/bin/node ${flags} scripts/start.mjs\n`)
  const words = ['node', ...serverFlags, 'dist/server/main.js'].map((word) => JSON.stringify(word))
  expect(read('Dockerfile')).toContain(`\nCMD [${words.join(', ')}]\n`)
})
