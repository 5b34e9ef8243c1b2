import { useMantineColorScheme } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { IntlProvider } from 'use-intl'
import { loadWhenOnline } from '#admin/base/reload-guard.ts'
import type { Language } from '#shared/languages.ts'
import { LoadingScreen } from './features/shell/loading-screen.tsx'
import { activateCatalogue, loadCatalogue, type Messages, useCatalogue } from './i18n/messages.ts'
import { setVisitorLanguage, storedLanguage, useVisitorLanguage } from './i18n/visitor-language.ts'
import { queryClient } from './lib/query-client.ts'
import { checkAccount, useAccount } from './lib/session.ts'
import { router } from './router.tsx'
import { Popups } from './ui/popups.tsx'
import { Toasts } from './ui/toasts.tsx'

/** Loads the texts of a language. Waits while the server is unreachable. */
const loadTexts = (language: Language) => loadWhenOnline(() => loadCatalogue(language))

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

// Loads the texts of the last visit's language while the account is being checked, because this visit usually uses the
// same language.
const remembered = storedLanguage()
let early = remembered && loadTexts(remembered)

/**
 * The admin: the loading screen until the account is checked and the texts of its language are loaded, then the router.
 */
export function App() {
  const account = useAccount()
  const [checked, setChecked] = useState(false)
  const [retrying, setRetrying] = useState(false)
  const catalogue = useCatalogue()
  const [failure, setFailure] = useState<unknown>(null)
  const { setColorScheme } = useMantineColorScheme()

  useEffect(() => {
    void checkAccount({ onFailure: () => setRetrying(true) }).then(() => setChecked(true))
  }, [])

  const visitorLanguage = useVisitorLanguage()
  const language = account?.language ?? visitorLanguage
  useEffect(() => {
    if (!checked) return
    let stale = false
    const loading = early && language === remembered ? early : loadTexts(language)
    // `early` is used only once: a later load may include more texts (those for editing).
    early = null
    loading.then((loaded) => {
      if (stale) return
      setVisitorLanguage(language)
      activateCatalogue(loaded)
    }, setFailure)
    return () => {
      stale = true
    }
  }, [checked, language])

  const colorScheme = account?.colorScheme
  useEffect(() => {
    if (colorScheme) setColorScheme(colorScheme)
  }, [colorScheme, setColorScheme])

  if (failure) throw failure
  if (!catalogue) return <LoadingScreen retrying={retrying} />
  return (
    <IntlProvider locale={catalogue.language} messages={catalogue.messages as Messages} timeZone={timeZone}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Popups />
        <Toasts />
      </QueryClientProvider>
    </IntlProvider>
  )
}
