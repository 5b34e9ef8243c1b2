import { ActionIcon, Button, Code, Menu, Text } from '@mantine/core'
import { IconArrowLeft, IconBoxMultiple, IconCopy, IconDots, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { customTypesQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { CopyDialog } from './copy-dialog.tsx'
import { useCustomTypeActions } from './use-custom-type-actions.tsx'
import { usersOf } from './users.ts'

const route = getRouteApi('/signed-in/$p/$a/-/custom-types')

/** `/{p}/{a}/-/custom-types` */
export function CustomTypesPage() {
  const t = useTranslations('customTypes')
  const { p, a } = route.useParams()
  const customTypes = useQuery(customTypesQuery(p, a))
  const models = useQuery(modelsQuery(p, a))
  const mayManage = useCanInApp(p, a)('model.manage')
  const [copying, setCopying] = useState(false)
  const failed = [customTypes, models].find(({ isError }) => isError)
  const make = mayManage && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link {...props} to="/$p/$a/-/custom-types/$id" params={{ p, a, id: 'new' }} />}
    >
      {t('new.title')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      description={t('about')}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/$a" params={{ p, a }} />}
          >
            {t('toModels')}
          </Button>
          {mayManage && (
            <Button variant="default" leftSection={<IconCopy size={16} />} onClick={() => setCopying(true)}>
              {t('copy.title')}
            </Button>
          )}
          {make}
        </>
      }
    >
      {failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : !customTypes.data || !models.data ? (
        <SkeletonList height={92} />
      ) : customTypes.data.length === 0 ? (
        <EmptyState
          icon={<IconBoxMultiple size={36} stroke={1.4} aria-hidden="true" />}
          title={t('emptyTitle')}
          text={t('emptyText')}
          action={make}
        />
      ) : (
        <Types place={{ p, a }} types={customTypes.data} models={models.data} mayManage={mayManage} />
      )}
      {copying && models.data && (
        <CopyDialog place={{ p, a }} models={models.data} onClose={() => setCopying(false)} />
      )}
    </Page>
  )
}

interface TypesProps {
  place: { p: string; a: string }
  types: readonly CustomType[]
  models: readonly Model[]
  mayManage: boolean
}

function Types({ place, types, models, mayManage }: TypesProps) {
  const t = useTranslations('customTypes')
  const actions = useCustomTypeActions(place)
  return (
    <CardGrid label={t('title')}>
      {types.map((type) => {
        const users = usersOf(type.uid, models, types)
        return (
          <CardItem
            key={type._id}
            icon={<IconBoxMultiple size={22} stroke={1.6} aria-hidden="true" />}
            title={(className) => (
              <Link className={className} to="/$p/$a/-/custom-types/$id" params={{ ...place, id: type._id }}>
                {type.name}
              </Link>
            )}
            description={type.description && <Text size="sm">{type.description}</Text>}
            meta={
              <>
                <Code>{type.uid}</Code>
                <span>{t('fieldCount', { count: type.fields.length })}</span>
                <span>{t('modelCount', { count: users.models.length })}</span>
              </>
            }
            menu={
              mayManage && (
                <Menu position="bottom-end" width={200}>
                  <Menu.Target>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('actionsOf', { name: type.name })}
                    >
                      <IconDots size={18} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item
                      leftSection={<IconCopy size={16} />}
                      onClick={() => void actions.duplicate(type, types)}
                    >
                      {t('duplicate')}
                    </Menu.Item>
                    <Menu.Item
                      color="var(--mantine-color-error)"
                      leftSection={<IconTrash size={16} />}
                      onClick={() => actions.remove(type, models, types)}
                    >
                      {t('delete.menu')}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )
            }
          />
        )
      })}
    </CardGrid>
  )
}
