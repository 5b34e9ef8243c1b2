import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const limits = { testTimeout: 30_000, hookTimeout: 30_000, pool: 'forks' } as const

export default defineConfig({
  test: {
    projects: [
      { test: { ...limits, name: 'shared', include: ['src/shared/**/*.test.ts'] } },
      {
        test: {
          ...limits,
          name: 'server',
          include: ['src/{server,rescue}/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          globalSetup: 'test/global-setup.ts',
        },
      },
      {
        plugins: [react()],
        test: {
          ...limits,
          name: 'admin',
          include: ['src/admin/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
        },
      },
    ],
  },
})
