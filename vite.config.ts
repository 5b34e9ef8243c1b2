import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import compileMessage from 'icu-minify/compile'
import { defineConfig, type Plugin } from 'vite'

/** Files with the names and groups of all emoji. The picker (ui/emoji-picker.tsx) requests them at these addresses. */
const emojiFiles = ['ja', 'en'].flatMap((language) => [`${language}/data.json`, `${language}/messages.json`])
const readEmojiFile = (name: string) =>
  readFileSync(new URL(`node_modules/emojibase-data/${name}`, import.meta.url))

function emojiData(): Plugin {
  return {
    name: 'emoji-data',
    generateBundle() {
      for (const name of emojiFiles)
        this.emitFile({ type: 'asset', fileName: `emoji-data/${name}`, source: readEmojiFile(name) })
    },
    configureServer({ middlewares }) {
      middlewares.use('/emoji-data', (request, response, next) => {
        const name = emojiFiles.find((file) => request.url === `/${file}`)
        if (!name) return next()
        response.setHeader('content-type', 'application/json').end(readEmojiFile(name))
      })
    },
  }
}

type Texts = { [key: string]: string | Texts }

const compileTexts = (texts: Texts): object =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === 'string' ? compileMessage(text) : compileTexts(text),
    ]),
  )

/**
 * Compiles the texts when the admin is built, so that no browser downloads the parser of ICU messages
 * (docs/decisions/0011-first-load-of-the-admin.md).
 */
function compiledTexts(): Plugin {
  return {
    name: 'compiled-texts',
    enforce: 'pre',
    config: () => ({
      resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
    }),
    transform: {
      filter: { id: /\/i18n\/[a-z]+\/[a-z-]+\.json$/ },
      handler: (code) => JSON.stringify(compileTexts(JSON.parse(code))),
    },
  }
}

export default defineConfig({
  root: 'src/admin',
  base: '/',
  plugins: [react(), compiledTexts(), emojiData()],
  build: {
    outDir: '../../dist/admin',
    emptyOutDir: true,
    // scripts/first-load.mjs uses the manifest to calculate the download size of a first visit.
    manifest: true,
    // Older targets rewrite light-dark() into variables that do not follow the colour scheme chosen in the admin.
    cssTarget: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    chunkSizeWarningLimit: 700,
  },
})
