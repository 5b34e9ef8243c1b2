import { Alert, Radio, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { hiddenLabel } from '#admin/ui/hidden-label.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { InstallationSettings } from '#shared/contract/installation.ts'
import { signupConfirmations, signupModes, spaceCreations } from '#shared/sign-up.ts'
import { installationSettingsQuery } from './installation.queries.ts'

/** `/admin/settings`: settings of the whole installation. */
export function InstallationSettingsPage() {
  const t = useTranslations('installation.settings')
  const { data, error, refetch } = useQuery(installationSettingsQuery())
  return (
    <Page title={t('title')} width="narrow">
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList rows={1} height={220} />}
      {data && <SettingChoices settings={data} />}
    </Page>
  )
}

type Choices = Partial<Pick<InstallationSettings, 'signup' | 'signupConfirmation' | 'spaceCreation'>>

/**
 * The choices of which visitors may sign up, whether email addresses are verified before or after sign-up, and which
 * users may create spaces. Each choice is saved separately, without a save button.
 */
function SettingChoices({ settings }: { settings: InstallationSettings }) {
  const t = useTranslations('installation.settings')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const { queryKey } = installationSettingsQuery()
  const change = useMutation({
    mutationFn: (data: Choices) => api('PUT /api/admin/settings', { body: { data } }),
    onSuccess: ({ settings: now }) => {
      queryClient.setQueryData(queryKey, now)
      toast.success(common('saved'))
    },
    onError: (error) => toast.error(errorText(error)),
  })
  const save = (choices: Choices) =>
    change.mutateAsync(choices).then(
      () => true,
      () => false,
    )
  return (
    <>
      <Choice
        title={t('signup')}
        text={t('signupText')}
        options={signupModes}
        label={(mode) => t(`modes.${mode}.label`)}
        description={(mode) => t(`modes.${mode}.text`)}
        value={settings.signup}
        fixed={settings.signupIsFixed ? t('fixed') : null}
        onChange={(signup) => save({ signup })}
      />
      <Choice
        title={t('confirmation')}
        text={t('confirmationText')}
        options={signupConfirmations}
        label={(one) => t(`confirmations.${one}.label`)}
        description={(one) => t(`confirmations.${one}.text`)}
        value={settings.signupConfirmation}
        fixed={settings.signupConfirmationIsFixed ? t('confirmationFixed') : null}
        onChange={(signupConfirmation) => save({ signupConfirmation })}
      />
      <Choice
        title={t('spaceCreation')}
        text={t('spaceCreationText')}
        options={spaceCreations}
        label={(one) => t(`spaceCreations.${one}.label`)}
        description={(one) => t(`spaceCreations.${one}.text`)}
        value={settings.spaceCreation}
        fixed={settings.spaceCreationIsFixed ? t('spaceCreationFixed') : null}
        onChange={(spaceCreation) => save({ spaceCreation })}
      />
    </>
  )
}

interface ChoiceProps<Value extends string> {
  title: string
  text: string
  options: readonly Value[]
  label: (value: Value) => string
  description: (value: Value) => string
  value: Value
  /** Text about why the choice cannot be changed here. null: it can be changed. */
  fixed: string | null
  /** Returns whether the choice was saved. */
  onChange: (value: Value) => Promise<boolean>
}

function Choice<Value extends string>({ title, text, options, fixed, ...choice }: ChoiceProps<Value>) {
  const { value: saved } = choice
  // Shows the new choice before the server has confirmed it.
  const [shown, setShown] = useState(saved)
  useEffect(() => setShown(saved), [saved])
  async function choose(value: Value) {
    setShown(value)
    if (!(await choice.onChange(value))) setShown(saved)
  }
  return (
    <Section title={title} description={text}>
      <Stack gap="md">
        {fixed !== null && (
          <Alert color="mizu" variant="light">
            {fixed}
          </Alert>
        )}
        <Radio.Group
          {...hiddenLabel(title)}
          value={shown}
          onChange={(value) => {
            const chosen = options.find((one) => one === value)
            if (chosen) void choose(chosen)
          }}
        >
          <Stack gap="sm">
            {options.map((one) => (
              <Radio
                key={one}
                value={one}
                label={choice.label(one)}
                description={choice.description(one)}
                disabled={fixed !== null}
              />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    </Section>
  )
}
