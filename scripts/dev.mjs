import { spawn } from 'node:child_process'
import { devEnvironment } from './lib/dev-environment.mjs'
import { endWithParent, ensureInstalled, ensureNode, root } from './lib/prepare.mjs'

ensureNode()
ensureInstalled()
endWithParent()
process.chdir(root)
process.env.NODE_ENV = 'development'

// The browser connects to Vite on the port IMORI_PORT. Vite forwards the APIs to the server on the next port.
const port = Number(process.env.IMORI_PORT || 3000)
const host = process.env.IMORI_HOST || '127.0.0.1'
const target = `http://127.0.0.1:${port + 1}`

const { createServer } = await import('vite')
const vite = await createServer({
  logLevel: 'warn',
  server: {
    host,
    port,
    strictPort: true,
    proxy: { '/api/': target, '/v1/': target, '^/[^/]+\\.(cdn|api)(\\.newt\\.so)?/': target },
  },
})
await vite.listen()

const tsx = ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false']
const server = spawn(process.execPath, [...tsx, '--include=src/server/db/migrations', 'src/server/main.ts'], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: devEnvironment(process.env, port),
})
server.on('exit', async (code) => {
  await vite.close()
  process.exit(code ?? 1)
})
// The terminal sends Ctrl-C to the server directly. Signals to this process alone are passed on.
process.on('SIGINT', () => server.kill('SIGINT'))
process.on('SIGTERM', () => server.kill('SIGTERM'))
