import { Button, Text, Title } from '@mantine/core'
import { IconLayoutList, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useCanInApp } from '#admin/lib/use-can.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import classes from './list.module.css'

interface ListHeaderProps {
  model: Model
  place: ModelPlace
  /**
   * The button that creates a document. null for users who may not create documents: the link to the trash is hidden
   * too.
   */
  newButton: ReactNode
}

/** The model's name, and links to pages about the model. */
export function ListHeader({ model, place, newButton }: ListHeaderProps) {
  const t = useTranslations('documents.list')
  const can = useCanInApp(place.p, place.a)
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        <Title order={1}>{model.name}</Title>
        {model.description && (
          <Text size="sm" c="dimmed">
            {model.description}
          </Text>
        )}
      </div>
      <div className={classes.actions}>
        {newButton && (
          <Button
            variant="default"
            leftSection={<IconTrash size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/trash" params={place} />}
          >
            {t('trash')}
          </Button>
        )}
        {can('model.manage') && (
          <Button
            variant="default"
            leftSection={<IconLayoutList size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/model" params={place} />}
          >
            {t('editModel')}
          </Button>
        )}
        {newButton}
      </div>
    </header>
  )
}
