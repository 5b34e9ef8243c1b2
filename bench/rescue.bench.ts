import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/*
 * `npx tsx bench/rescue.bench.ts`: measures a rescue of 100,000 contents and 20,000 small assets as `npm run rescue`
 * runs it, then `verify`. The stand-in of Newt is a separate process on loopback. Exits with 1 if a bound is missed.
 */

const contents = Number(process.env.BENCH_CONTENTS ?? 100_000)
const assets = Number(process.env.BENCH_ASSETS ?? 20_000)
const bounds = { contentsPerSecond: 5_000, assetsPerSecond: 500, megabytes: 300 }

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'imori-rescue-bench-'))
const flags = ['--max-semi-space-size=8', '--max-old-space-size=1024']
// The process reports its peak memory when it ends.
const tellMemory = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))",
)}`

interface Run {
  code: number | null
  seconds: number
  megabytes: number
  /** Returns the time in seconds from the start to the first line that matches. */
  at: (pattern: RegExp) => number
}

async function startStandIn(): Promise<
  [ChildProcess, { origin: string; tokens: { api: string; cdn: string } }]
> {
  const script = join(root, 'test/newt-stand-in/main.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, String(contents), String(assets)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) return [child, JSON.parse(line)]
  throw new Error('the stand-in did not start')
}

function run(args: string[], env: Record<string, string>): Promise<Run> {
  const start = Date.now()
  const lines: [number, string][] = []
  const program = join(root, 'dist/rescue/main.js')
  const child = spawn(
    process.execPath,
    [...flags, '--import', tellMemory, program, ...args, '--lang', 'en'],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'pipe', 'pipe'],
    },
  )
  let memory = ''
  child.stdio[3]?.on('data', (text: Buffer) => {
    memory += text
  })
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push([(Date.now() - start) / 1_000, line])
      console.log(`  ${((Date.now() - start) / 1_000).toFixed(1)} s  ${line}`)
    })
  }
  return new Promise((resolve) =>
    child.on('close', (code) =>
      resolve({
        code,
        seconds: (Date.now() - start) / 1_000,
        megabytes: Number(memory) / 1_000,
        at: (pattern) => lines.find(([, line]) => pattern.test(line))?.[0] ?? Number.NaN,
      }),
    ),
  )
}

// This rebuilds dist/rescue/main.js if it is older than its sources.
execFileSync(process.execPath, [join(root, 'scripts/rescue.mjs'), '--help'], { stdio: 'ignore' })
const [standIn, { origin, tokens }] = await startStandIn()
try {
  const out = join(folder, 'archive')
  const given = ['--space', 'demo', '--app', 'blog', '--model', 'article', '--model', 'author']
  const env = { IMORI_RESCUE_API_TOKEN: tokens.api, IMORI_RESCUE_CDN_TOKEN: tokens.cdn }
  const rescue = await run([...given, '--origin', origin, '--out', out], env)
  const verify = await run(['verify', out], {})

  const read = contents + (contents - Math.ceil(contents / 3)) + 2
  const assetsFrom = rescue.at(/^Pictures and files 0 /)
  const assetsTo = rescue.at(/^Checking for changes/)
  const contentsPerSecond = Math.round(read / assetsFrom)
  const assetsPerSecond = Math.round(assets / (assetsTo - assetsFrom))
  const megabytes = Math.round(rescue.megabytes)
  console.table({
    'contents read (both views)': { value: read },
    'contents/s, from process start': { value: contentsPerSecond, bound: `≥ ${bounds.contentsPerSecond}` },
    'assets/s': { value: assetsPerSecond, bound: `≥ ${bounds.assetsPerSecond}` },
    'memory at most, MB': { value: megabytes, bound: `≤ ${bounds.megabytes}` },
    'whole rescue, s': { value: rescue.seconds },
    'verify, s': { value: verify.seconds },
    'verify memory at most, MB': { value: Math.round(verify.megabytes), bound: `≤ ${bounds.megabytes}` },
  })
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node.js ${process.version}`)
  const isGood =
    rescue.code === 0 &&
    verify.code === 0 &&
    contentsPerSecond >= bounds.contentsPerSecond &&
    assetsPerSecond >= bounds.assetsPerSecond &&
    Math.max(megabytes, verify.megabytes) <= bounds.megabytes
  console.log(isGood ? 'Every bound is kept.' : 'A bound is missed.')
  process.exitCode = isGood ? 0 : 1
} finally {
  standIn.kill()
  rmSync(folder, { recursive: true, force: true })
}
