import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { splittingByPages } from './lib/chunks.mjs'
import { root, sourceHash } from './lib/prepare.mjs'

/**
 * Packages of hundreds of small modules. They are bundled, because otherwise each start would read and compile the
 * modules one by one.
 */
const bundled = [
  '@simplewebauthn/server',
  'fastify',
  'kysely',
  'markdown-it',
  'nodemailer',
  'sanitize-html',
  'undici',
  'yaml',
  'zod',
]
/** Some of the packages are CommonJS and load modules of Node.js with `require`. */
const requireInModules =
  "import { createRequire as createRequireOfBundle } from 'node:module'\nconst require = createRequireOfBundle(import.meta.url)"

process.chdir(root)
process.env.NODE_ENV = 'production'
const stamp = sourceHash()
// Without the stamp, an interrupted build does not count as complete.
rmSync('dist/.stamp', { force: true })
await Promise.all([buildServer(), buildAdmin()])
writeFileSync('dist/.stamp', stamp)

async function buildServer() {
  const { build } = await import('esbuild')
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const outside = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (name) => !bundled.includes(name),
  )
  rmSync('dist/server', { recursive: true, force: true })
  await build({
    entryPoints: [
      'src/server/main.ts',
      'src/server/unlock.ts',
      'src/server/content/text-worker.ts',
      'src/server/features/moves/check/moves.worker.ts',
      'src/server/images/image-worker.ts',
    ],
    outdir: 'dist/server',
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: outside,
    banner: { js: requireInModules },
    sourcemap: true,
    logLevel: 'warning',
  })
  cpSync('src/server/db/migrations', 'dist/server/migrations', { recursive: true })
  cpSync('src/server/features/templates/shipped/pictures', 'dist/server/template-pictures', {
    recursive: true,
  })
}

async function buildAdmin() {
  if (!existsSync('src/admin/index.html'))
    return console.log('src/admin/index.html is missing, so the admin is not built')
  const { build } = await import('vite')
  const unsplit = await build({ logLevel: 'error', build: { write: false, minify: false } })
  const codeSplitting = splittingByPages(unsplit.output.filter(({ type }) => type === 'chunk'))
  await build({ logLevel: 'warn', build: { rolldownOptions: { output: { codeSplitting } } } })
  await compressAll('dist/admin')
}

/**
 * Writes .br and .gz next to every text file of at least 1,024 bytes, so that the server need not compress these files
 * during requests.
 */
async function compressAll(folder) {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(js|css|html|svg|json|webmanifest)$/.test(name))
    .map((name) => join(folder, name))
  await Promise.all(files.map(compress))
}

async function compress(path) {
  const bytes = readFileSync(path)
  if (bytes.length < 1024) return
  // Quality 11 takes seconds per megabyte, so files over 500 KB, such as the names of all emoji, get quality 9.
  const quality = bytes.length > 500_000 ? 9 : 11
  const options = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: options }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  writeFileSync(`${path}.br`, br)
  writeFileSync(`${path}.gz`, gz)
}
