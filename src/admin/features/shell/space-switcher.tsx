import { Menu, UnstyledButton } from '@mantine/core'
import { IconCheck, IconPlus, IconSelector, IconStack2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spacesQuery } from '#admin/lib/queries.ts'
import { Mark } from '#admin/ui/mark.tsx'
import classes from './rail.module.css'
import { useOpenSpace } from './use-open-space.ts'

/** The open space, and a menu of the user's spaces. */
export function SpaceSwitcher({ collapsed }: { collapsed: boolean }) {
  const t = useTranslations('shell')
  const open = useOpenSpace()
  const { projects: spaces = [], mayCreateSpaces = false } = useQuery(spacesQuery()).data ?? {}
  const name = open?.name ?? 'Imori'
  return (
    <Menu width={260} position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={classes.button}
          {...(collapsed ? { 'aria-label': t('switchSpace', { name }) } : {})}
        >
          <Mark size={28} />
          <span className={`${classes.name} ${classes.strong}`}>{name}</span>
          <IconSelector size={16} className={classes.chevron} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {spaces.length > 0 && <Menu.Label>{t('spaces')}</Menu.Label>}
        {spaces.map((space) => (
          <Menu.Item
            key={space.uid}
            renderRoot={(props) => <Link {...props} to="/$p" params={{ p: space.uid }} />}
            rightSection={space.uid === open?.uid ? <IconCheck size={16} aria-label={t('current')} /> : null}
          >
            {space.name}
          </Menu.Item>
        ))}
        {spaces.length > 0 && <Menu.Divider />}
        <Menu.Item component={Link} to="/spaces" leftSection={<IconStack2 size={16} />}>
          {t('allSpaces')}
        </Menu.Item>
        {mayCreateSpaces && (
          <Menu.Item component={Link} to="/spaces/new" leftSection={<IconPlus size={16} />}>
            {t('newSpace')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
