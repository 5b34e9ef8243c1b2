import { configure } from '@testing-library/react'
import { afterAll } from 'vitest'

// What a test of a screen waits for takes as long as the machine needs.
configure({ asyncUtilTimeout: 30_000 })

// A component may leave a timer behind, which must not find the document of its file gone.
const timers = new Set<ReturnType<typeof setTimeout>>()
const setTimer = globalThis.setTimeout
globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
  const timer = setTimer(...args)
  timers.add(timer)
  return timer
}, setTimer) as typeof setTimeout
afterAll(() => {
  for (const timer of timers) clearTimeout(timer)
})
