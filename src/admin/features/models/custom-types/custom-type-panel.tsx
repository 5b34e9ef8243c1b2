import { Alert, Anchor, Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { Basics } from '../basics.tsx'
import classes from '../model-editor.module.css'
import type { PanelProps } from '../model-editor.tsx'
import { useCustomTypeActions } from './use-custom-type-actions.tsx'
import type { Users } from './users.ts'

interface CustomTypePanelProps extends PanelProps {
  customType: CustomType
  models: readonly Model[]
  customTypes: readonly CustomType[]
  place: { p: string; a: string }
  users: Users
  /** Whether there are unsaved changes. */
  dirty: boolean
}

/** The panel of the custom type itself: name, uid, description, uses, duplication and deletion. */
export function CustomTypePanel(props: CustomTypePanelProps) {
  const { draft, savedUid, customType, models, customTypes, place, users, dirty, readOnly } = props
  const t = useTranslations('customTypes')
  const panel = useTranslations('models.panel')
  const actions = useCustomTypeActions(place)
  return (
    <Stack gap="xl">
      <section className={classes.card}>
        <Title order={2} mb="sm">
          {panel('basics')}
        </Title>
        <Stack gap="md">
          <Basics {...props} nameLabel={t('panel.name')} uidLabel={t('panel.uid')}>
            {draft.uid !== savedUid && (
              <Alert color="yellow" variant="light" role="status" p="xs">
                {t('panel.uidChanges', { from: savedUid, to: draft.uid })}
              </Alert>
            )}
          </Basics>
        </Stack>
      </section>

      <section className={classes.card}>
        <Title order={2} mb="sm">
          {t('panel.users')}
        </Title>
        {users.models.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('panel.notUsed')}
          </Text>
        ) : (
          <>
            <Text size="sm" mb="xs" role="status">
              {t(dirty ? 'panel.willChange' : 'panel.usedBy')}
            </Text>
            <List size="sm">
              {users.models.map((model) => (
                <List.Item key={model._id}>
                  <Anchor
                    size="sm"
                    renderRoot={(root) => (
                      <Link {...root} to="/$p/$a/$m/-/model" params={{ ...place, m: model.uid }} />
                    )}
                  >
                    {model.name}
                  </Anchor>{' '}
                  {t('panel.documents', { count: model.documentCount })}
                </List.Item>
              ))}
            </List>
          </>
        )}
      </section>

      {!readOnly && (
        <Group gap="xs">
          <Button
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            leftSection={<IconCopy size={16} />}
            onClick={() => void actions.duplicate(customType, customTypes)}
          >
            {t('duplicate')}
          </Button>
          <Button
            variant="subtle"
            color="red.8"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={() => actions.remove(customType, models, customTypes)}
          >
            {t('delete.action')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
