import { Button, Group, Stack } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { ImageSettings } from '#shared/image-settings.ts'
import { imageSettingsQuery } from './image-settings.queries.ts'
import { SettingsForm } from './settings-form.tsx'

/** `/{p}/-/images` */
export function ImageSettingsPage() {
  const t = useTranslations('imageSettings')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      {can('storage.manage') ? (
        <Settings p={p} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}

function Settings({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(imageSettingsQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const { signingKey, ...settings } = data
  return (
    <>
      <SettingsForm p={p} settings={settings} />
      <SigningKey p={p} signingKey={signingKey} settings={settings} />
    </>
  )
}

/** What a space's sites sign addresses with. */
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
