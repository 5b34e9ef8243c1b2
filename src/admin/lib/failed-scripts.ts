import { ScriptLoadError } from '#admin/base/reload-guard.ts'
import { translator } from '#admin/i18n/messages.ts'
import { toast } from './toast.ts'

/** Shows a toast if an action such as a paste fails because its script could not be loaded. */
export function reportFailedScripts(): void {
  window.addEventListener('unhandledrejection', (event) => {
    if (!(event.reason instanceof ScriptLoadError)) return
    event.preventDefault()
    // The message must not promise a retry, because the action is not repeated when the server answers again.
    toast.error(translator()(event.reason.isOffline ? 'server-error.NetworkError' : 'common.scriptFailed'))
  })
}
