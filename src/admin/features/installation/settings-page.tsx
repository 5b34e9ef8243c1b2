import { Alert, Radio, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { InstallationTabs } from '#admin/features/shell/installation-tabs.tsx'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { InstallationSettings } from '#shared/contract/installation.ts'
import { type SignupMode, signupModes } from '#shared/sign-up.ts'
import { installationSettingsQuery } from './installation.queries.ts'

/** `/admin/settings`: what holds for the whole installation. */
export function InstallationSettingsPage() {
  const t = useTranslations('installation.settings')
  const { data, error, refetch } = useQuery(installationSettingsQuery())
  return (
    <Page title={t('title')} width="narrow">
      <InstallationTabs />
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList rows={1} height={220} />}
      {data && <Signup settings={data} />}
    </Page>
  )
}

/** Who may sign up: in effect as soon as it is chosen. */
function Signup({ settings }: { settings: InstallationSettings }) {
  const t = useTranslations('installation.settings')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const { queryKey } = installationSettingsQuery()
  const change = useMutation({
    mutationFn: (signup: SignupMode) => api('PUT /api/admin/settings', { body: { data: { signup } } }),
    onSuccess: ({ settings: now }) => {
      queryClient.setQueryData(queryKey, now)
      toast.success(common('saved'))
    },
    onError: (error) => toast.error(errorText(error)),
  })
  const shown = change.isPending ? change.variables : settings.signup
  return (
    <Section title={t('signup')} description={t('signupText')}>
      <Stack gap="md">
        {settings.signupIsFixed && (
          <Alert color="mizu" variant="light">
            {t('fixed')}
          </Alert>
        )}
        <Radio.Group
          aria-label={t('signup')}
          value={shown}
          onChange={(value) => {
            const mode = signupModes.find((one) => one === value)
            if (mode) change.mutate(mode)
          }}
        >
          <Stack gap="sm">
            {signupModes.map((mode) => (
              <Radio
                key={mode}
                value={mode}
                label={t(`modes.${mode}.label`)}
                description={t(`modes.${mode}.text`)}
                disabled={settings.signupIsFixed}
              />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    </Section>
  )
}
