import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptLoadError } from '#admin/base/reload-guard.ts'
import { Toasts } from '#admin/ui/toasts.tsx'
import { reportFailedScripts } from './failed-scripts.ts'
import { renderInAdmin } from './testing.tsx'
import { closeAllToasts } from './toast.ts'

beforeEach(closeAllToasts)
afterEach(cleanup)

it('shows a toast if the script of an action could not be loaded, but not for other errors', async () => {
  reportFailedScripts()
  await renderInAdmin(<Toasts />)
  const reject = (reason: Error) =>
    window.dispatchEvent(Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason }))
  reject(new Error('another'))
  expect(screen.queryByText(/通信状態を確認して/)).toBeNull()
  reject(new ScriptLoadError(true, null))
  expect(await screen.findByText(/通信状態を確認して/)).toBeTruthy()
})
