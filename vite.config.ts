import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'src/admin',
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../../dist/admin',
    emptyOutDir: true,
    // scripts/first-load.mjs adds up from it what a first visit downloads.
    manifest: true,
    // Older targets rewrite light-dark() into variables that do not follow the colour scheme chosen in the admin.
    cssTarget: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    chunkSizeWarningLimit: 700,
  },
})
