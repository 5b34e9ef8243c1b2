import { Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { Section } from '#admin/ui/section.tsx'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import type { ImageSettings } from '#shared/image-settings.ts'
import { imageSettingsQuery } from './image-settings.queries.ts'
import { SettingsForm } from './settings-form.tsx'

/** `/{p}/-/images` */
export function ImageSettingsPage() {
  const t = useTranslations('imageSettings')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <SettingsPage
      title={t('title')}
      text={t('text')}
      forbidden={!can('storage.manage') && { title: t('forbidden'), text: t('forbiddenText') }}
      query={imageSettingsQuery(p)}
    >
      {({ signingKey, ...settings }) => (
        <>
          <SettingsForm p={p} settings={settings} />
          <SigningKey p={p} signingKey={signingKey} settings={settings} />
        </>
      )}
    </SettingsPage>
  )
}

/** The key with which the space's sites sign image URLs. */
function SigningKey({ p, signingKey, settings }: { p: string; signingKey: string; settings: ImageSettings }) {
  const t = useTranslations('imageSettings.key')
  const queryClient = useQueryClient()
  const renew = () =>
    confirm({
      title: t('renew'),
      message: t('confirm'),
      action: t('renew'),
      danger: true,
      run: async () => {
        const { imageSettings } = await api('PUT /api/project/{p}/imageSettings', {
          params: { p },
          body: { data: { ...settings, newSigningKey: true } },
        })
        queryClient.setQueryData(imageSettingsQuery(p).queryKey, imageSettings)
        toast.success(t('renewed'))
      },
    })
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="md">
        <CopyField label={t('label')} value={signingKey} copyLabel={t('copy')} />
        <Group>
          <Button variant="default" onClick={renew}>
            {t('renew')}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
