import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { trackFailedStyles } from './base/reload-guard.ts'
import { onSignedOut } from './lib/api.ts'
import { guardDoubleClicks } from './lib/double-clicks.ts'
import { reportFailedScripts } from './lib/failed-scripts.ts'
import { spacesQuery } from './lib/queries.ts'
import { queryClient } from './lib/query-client.ts'
import { currentAccount, setAccount, subscribeToAccount } from './lib/session.ts'
import { router } from './router.tsx'
import './theme/mantine.css'
import './theme/global.css'
import { cssVariables, theme } from './theme/theme.ts'

// The session ended while somebody was working: the guard of the page they are on sends them to /login and back.
onSignedOut(() => {
  if (!currentAccount()) return
  setAccount(null)
  void router.invalidate()
})

// What was loaded belongs to whoever was signed in. Their spaces are fetched anew; that this fails is no news.
let accountId: string | undefined
subscribeToAccount(() => {
  const next = currentAccount()?._id
  if (next === accountId) return
  accountId = next
  queryClient.removeQueries()
  if (next) void queryClient.prefetchQuery(spacesQuery())
})

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
