import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { trackFailedStyles } from './base/reload-guard.ts'
import { clearDataOfAccounts } from './lib/account-data.ts'
import { onSignedOut } from './lib/api.ts'
import { guardDoubleClicks } from './lib/double-clicks.ts'
import { reportFailedScripts } from './lib/failed-scripts.ts'
import { currentAccount, setAccount } from './lib/session.ts'
import { router } from './router.tsx'
import './theme/mantine.css'
import './theme/global.css'
import { cssVariables, theme } from './theme/theme.ts'

// If the session ends while a page is open, the guard of the page redirects the user to /login, and back after signing
// in.
onSignedOut(() => {
  if (!currentAccount()) return
  setAccount(null)
  void router.invalidate()
})

clearDataOfAccounts()

guardDoubleClicks()
trackFailedStyles()
reportFailedScripts()

const colorSchemeManager = localStorageColorSchemeManager({ key: 'imori-color-scheme' })

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <App />
    </MantineProvider>
  </StrictMode>,
)
