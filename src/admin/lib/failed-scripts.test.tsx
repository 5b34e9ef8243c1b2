import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptLoadError } from '#admin/base/reload-guard.ts'
import { Toasts } from '#admin/ui/toasts.tsx'
import { reportFailedScripts } from './failed-scripts.ts'
import { renderInAdmin } from './testing.tsx'
import { closeAllToasts, shownToasts } from './toast.ts'

beforeEach(closeAllToasts)
afterEach(cleanup)

it('`reportFailedScripts` shows a toast for an unhandled `ScriptLoadError`, but not for another error', async () => {
  reportFailedScripts()
  await renderInAdmin(<Toasts />)
  const reject = (reason: Error) =>
    window.dispatchEvent(Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason }))
  reject(new Error('another'))
  expect(shownToasts()).toEqual([])
  reject(new ScriptLoadError(true, null))
  expect(await screen.findByText(/通信状態を確認して/)).toBeTruthy()
})
