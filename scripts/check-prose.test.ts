import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('check-prose.mjs', import.meta.url))

/** The environment without settings of git, which would apply to another repository. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
}

// The check passes without git, so its tests need git.
const hasGit = spawnSync('git', ['--version']).status === 0

describe.skipIf(!hasGit)('check-prose.mjs', () => {
  let folder: string
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
      env,
    })
  const check = (...args: string[]) => {
    const { status, stderr } = spawnSync('node', [script, ...args], { cwd: folder, env, encoding: 'utf8' })
    return { status, faults: stderr.split('\n').filter((line) => /^(?:commit|\S+:\d+:)/.test(line)) }
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prose-'))
    git('init', '--quiet', '--initial-branch', 'main')
    await writeFile(join(folder, 'a.ts'), '// Of whoever asks\nexport const a = 1\n')
    git('add', '.')
    git('commit', '--quiet', '--message', 'Whoever began')
    git('checkout', '--quiet', '-b', 'change')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('checks only lines changed and commits made since main', async () => {
    expect(check()).toEqual({ status: 0, faults: [] })
    await writeFile(join(folder, 'a.ts'), '// Of whoever asks\nexport const a = 1 // brought along\n')
    git('commit', '--quiet', '--all', '--message', 'fix: tell the reader')
    await writeFile(join(folder, 'b.test.ts'), "it('forgets a value', () => {})\n")
    expect(check()).toEqual({
      status: 1,
      faults: [
        expect.stringMatching(/^b\.test\.ts:1: "forgets"/),
        expect.stringMatching(/^a\.ts:2: "brought"/),
        expect.stringMatching(/^commit "fix: tell the reader": "tell"/),
      ],
    })
  })

  it('checks all lines with --all', () => {
    const { status, faults } = check('--all')
    expect(status).toBe(1)
    expect(faults).toEqual([
      expect.stringMatching(/^a\.ts:1: "Of"/),
      expect.stringMatching(/^a\.ts:1: "whoever"/),
    ])
  })

  it('exits with code 2 for an unknown commit', () => {
    expect(check('unknown')).toEqual({ status: 2, faults: [] })
  })

  it('ignores files that are deleted in the working tree', async () => {
    await rm(join(folder, 'a.ts'))
    expect(check('--all')).toEqual({ status: 0, faults: [] })
  })

  it('reports comments of more than 120 columns', async () => {
    await writeFile(join(folder, 'c.ts'), `// ${'x'.repeat(117)}\n// ${'x'.repeat(118)}\n`)
    expect(check()).toEqual({ status: 1, faults: [expect.stringMatching(/^c\.ts:2: a comment is longer/)] })
  })
})
